"use client";

import { useEffect, useRef } from "react";
import { Button } from "../_ui/Button.tsx";
import { Field } from "../_ui/Field.tsx";
import { Input } from "../_ui/Input.tsx";

/** A token in the address is posted at once; without JavaScript the button does it. */
export function SignInForm({ token, next }: { token: string; next: string }) {
  const form = useRef<HTMLFormElement>(null);
  useEffect(() => {
    if (token) form.current?.submit();
  }, [token]);
  return (
    <form ref={form} action="/api/sign-in" method="post" className="flex flex-col gap-3">
      <input type="hidden" name="next" value={next} />
      <Field label="One-time token">
        {(wiring) => <Input {...wiring} name="token" defaultValue={token} required spellCheck={false} />}
      </Field>
      <Button type="submit" kind="primary">
        {token ? "Signing in…" : "Sign in"}
      </Button>
    </form>
  );
}

/** Sign-in form with name and password. */
export function NameForm({ next }: { next: string }) {
  return (
    <>
      <form action="/api/sign-in" method="post" className="flex flex-col gap-3">
        <input type="hidden" name="next" value={next} />
        <Field label="Name">
          {(wiring) => <Input {...wiring} name="name" required autoComplete="username" autoCapitalize="none" />}
        </Field>
        <Field label="Password">
          {(wiring) => <Input {...wiring} name="password" type="password" required autoComplete="current-password" />}
        </Field>
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
