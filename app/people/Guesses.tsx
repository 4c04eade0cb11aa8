"use client";
import { useSuspenseQuery } from "@tanstack/react-query";
import { useTrpc } from "#app/_trpc/client.tsx";
import { Notice } from "#app/_ui/Notice.tsx";

/** Warns administrators of many wrong passwords within the last day. */
export function Guesses() {
  const trpc = useTrpc();
  const { data: guesses } = useSuspenseQuery(trpc.people.guesses.queryOptions());
  if (guesses.length === 0) return null;
  return (
    <Notice tone="bad">
      <ul>
        {guesses.map(({ id, subject, problem }) => (
          <li key={id}>
            {subject.replace("=", " ")}: {problem}.
          </li>
        ))}
      </ul>
      <p>Sign-in attempts from the address are limited, except in browsers that have signed in before.</p>
    </Notice>
  );
}
