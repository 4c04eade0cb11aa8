"use client";
import { useState } from "react";
import { errorWords } from "#app/_trpc/errorWords.ts";
import { useTrpc } from "#app/_trpc/client.tsx";
import { useAction } from "#app/_trpc/useAction.ts";
import { Button } from "#app/_ui/Button.tsx";
import { Card } from "#app/_ui/Card.tsx";
import { Field } from "#app/_ui/Field.tsx";
import { Input } from "#app/_ui/Input.tsx";

/** Changes one's own password; every browser then has to sign in again. */
export function PasswordCard({ name, minCharacters }: { name: string; minCharacters: number }) {
  const trpc = useTrpc();
  const [current, setCurrent] = useState("");
  const [next, setNext] = useState("");
  const change = useAction(trpc.people.changePassword.mutationOptions(), {
    stale: [],
    showsError: true,
    onDone: () => window.location.assign("/sign-in"),
  });
  return (
    <Card title="Your password">
      <form
        className="flex flex-wrap items-start gap-3"
        onSubmit={(event) => {
          event.preventDefault();
          change.mutate({ current, next });
        }}
      >
        <input type="hidden" name="username" autoComplete="username" value={name} readOnly />
        <Field
          label="Current password"
          className="min-w-0 grow sm:max-w-60"
          error={change.error ? errorWords(change.error) : undefined}
        >
          {(wiring) => (
            <Input
              {...wiring}
              type="password"
              required
              autoComplete="current-password"
              value={current}
              onChange={(event) => setCurrent(event.target.value)}
            />
          )}
        </Field>
        <Field label="New password" hint={`At least ${minCharacters} characters.`} className="min-w-0 grow sm:max-w-60">
          {(wiring) => (
            <Input
              {...wiring}
              type="password"
              required
              minLength={minCharacters}
              maxLength={200}
              autoComplete="new-password"
              value={next}
              onChange={(event) => setNext(event.target.value)}
            />
          )}
        </Field>
        <Button type="submit" className="sm:mt-6" disabled={change.isPending}>
          Change, and sign out everywhere
        </Button>
      </form>
    </Card>
  );
}
