"use client";

import { useEffect, useRef } from "react";
import { Button } from "../_ui/Button.tsx";
import { TextField } from "../_ui/Field.tsx";

/** Form for a one-time token. A token from the URL is posted at once, or by the button without JavaScript. */
export function SignInForm({ token, next }: { token: string; next: string }) {
  const form = useRef<HTMLFormElement>(null);
  useEffect(() => {
    if (token) form.current?.submit();
  }, [token]);
  return (
    <form ref={form} action="/api/sign-in" method="post" className="flex flex-col gap-3">
      <input type="hidden" name="next" value={next} />
      <TextField label="Sign-in link or token" name="token" defaultValue={token} required spellCheck={false} />
      <Button type="submit" kind="primary">
        {token ? "Signing in…" : "Sign in"}
      </Button>
    </form>
  );
}

export function NameForm({ next }: { next: string }) {
  return (
    <>
      <form action="/api/sign-in" method="post" className="flex flex-col gap-3">
        <input type="hidden" name="next" value={next} />
        <TextField label="Name" name="name" required autoComplete="username" autoCapitalize="none" />
        <TextField label="Password" name="password" type="password" required autoComplete="current-password" />
        <Button type="submit" kind="primary">
          Sign in
        </Button>
      </form>
      <p className="mt-4 text-sm text-muted">
        Forgot your password? Ask an administrator for a one-time sign-in link: <code>npx arlarena sign-in NAME</code>.
      </p>
    </>
  );
}
