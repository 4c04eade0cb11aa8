"use client";
import { useSuspenseQuery } from "@tanstack/react-query";
import { PageHead } from "#app/_components/PageHead.tsx";
import { useTrpc } from "#app/_trpc/client.tsx";
import { EmptyState } from "#app/_ui/EmptyState.tsx";
import { Invitations } from "./Invitations.tsx";
import { PasswordCard } from "./PasswordCard.tsx";
import { PeopleTable } from "./PeopleTable.tsx";
import { Notice } from "#app/_ui/Notice.tsx";

/** People of this studio with their roles, and one's own settings. */
export function PeopleView({ minCharacters }: { minCharacters: number }) {
  const trpc = useTrpc();
  const { data: me } = useSuspenseQuery(trpc.people.me.queryOptions());
  const { data: people } = useSuspenseQuery(trpc.people.list.queryOptions());
  const isAdministrator = me.role === "administrator";
  return (
    <>
      <PageHead title="People">
        Viewers see everything. Editors also launch sweeps and change things. Administrators also manage people, links
        and alerts.
      </PageHead>
      <div className="flex flex-col gap-6">
        {isAdministrator && <Guesses />}
        {people.length === 0 ? (
          <EmptyState title="No accounts yet">
            Everybody with the link from the terminal can do everything. Invite an administrator first, for example
            yourself: from then on people sign in by name.
          </EmptyState>
        ) : (
          <PeopleTable people={people} isAdministrator={isAdministrator} ownName={me.name} />
        )}
        {isAdministrator && <Invitations isFirst={people.length === 0} />}
        {me.name !== null && <PasswordCard name={me.name} minCharacters={minCharacters} />}
      </div>
    </>
  );
}

/** Warns administrators of many wrong passwords within the last day. */
function Guesses() {
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
