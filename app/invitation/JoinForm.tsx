"use client";
import type { Role } from "#server/domain/people/access.ts";
import { Button } from "#app/_ui/Button.tsx";
import { TextField } from "#app/_ui/Field.tsx";

const powers: Record<Role, string> = {
  viewer: "You will be a viewer: you can see everything but change nothing.",
  editor: "You will be an editor: you can also launch and change sweeps.",
  administrator: "You will be an administrator: you can also manage people.",
};

type Props = { token: string; role: Role; minCharacters: number };

export function JoinForm({ token, role, minCharacters }: Props) {
  return (
    <form action="/api/invitation" method="post" className="flex flex-col gap-3">
      <p className="text-sm text-muted">{powers[role]}</p>
      <input type="hidden" name="token" value={token} />
      <TextField
        label="Name"
        hint="Other people see this name beside your changes."
        name="name"
        required
        maxLength={80}
        autoComplete="username"
      />
      <TextField
        label="Password"
        hint={`At least ${minCharacters} characters.`}
        name="password"
        type="password"
        required
        minLength={minCharacters}
        maxLength={200}
        autoComplete="new-password"
      />
      <Button type="submit" kind="primary">
        Join
      </Button>
    </form>
  );
}
