"use client";

import { useSuspenseQuery } from "@tanstack/react-query";
import { PageHead } from "#app/_components/PageHead.tsx";
import { ShownOnce } from "#app/_components/ShownOnce.tsx";
import { useTrpc } from "#app/_trpc/client.tsx";
import { Choice } from "#app/_ui/Choice.tsx";
import { EmptyState } from "#app/_ui/EmptyState.tsx";
import { ActionsHead, Cell, HeadCell, Table } from "#app/_ui/Table.tsx";
import { invitationPage } from "#server/domain/pages.ts";
import type { Role } from "#server/domain/people/role.ts";
import { PeopleTable } from "./PeopleTable.tsx";
import { Notice } from "#app/_ui/Notice.tsx";
import { useState } from "react";
import { errorWords } from "#app/_trpc/errorWords.ts";
import { useAction } from "#app/_trpc/useAction.ts";
import { Button } from "#app/_ui/Button.tsx";
import { Card } from "#app/_ui/Card.tsx";
import { Field } from "#app/_ui/Field.tsx";
import { Input } from "#app/_ui/Input.tsx";
import { roleOptions } from "./roleOptions.ts";

/** People of this studio with their roles, and one's own settings. */
export function PeopleView({ minCharacters }: { minCharacters: number }) {
  const trpc = useTrpc();
  const { data: me } = useSuspenseQuery(trpc.people.me.queryOptions());
  const { data: people } = useSuspenseQuery(trpc.people.list.queryOptions());
  const isAdministrator = me.role === "administrator";
  return (
    <>
      <PageHead title="People">
        Viewers see everything. Editors also launch sweeps, change things and share links. Administrators also manage
        people and test alerts.
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

/** Changes one's own password; every browser then has to sign in again. */
function PasswordCard({ name, minCharacters }: { name: string; minCharacters: number }) {
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

/** Creates invitations, and lists the unused ones. */
function Invitations({ isFirst }: { isFirst: boolean }) {
  const trpc = useTrpc();
  const { data: open } = useSuspenseQuery(trpc.people.invitations.queryOptions());
  const [role, setRole] = useState<Role>(isFirst ? "administrator" : "viewer");
  const [note, setNote] = useState("");
  const [address, setAddress] = useState<string>();
  const invite = useAction(trpc.people.invite.mutationOptions(), {
    stale: [trpc.people.invitations.queryFilter()],
    onDone: ({ text }) => {
      setAddress(window.location.origin + invitationPage(text));
      setNote("");
    },
  });
  return (
    <Card title="Invite">
      <form
        className="flex flex-wrap items-end gap-3"
        onSubmit={(event) => {
          event.preventDefault();
          invite.mutate({ role, note });
        }}
      >
        <Choice<Role> label="Role" labelled="above" options={roleOptions} value={role} onChange={setRole} />
        <Field label="For whom" className="min-w-0 grow sm:max-w-72">
          {(wiring) => (
            <Input {...wiring} value={note} maxLength={200} onChange={(event) => setNote(event.target.value)} />
          )}
        </Field>
        <Button type="submit" kind="primary" disabled={invite.isPending}>
          Create invitation
        </Button>
      </form>
      {address !== undefined && (
        <ShownOnce text={address} label="Invitation link">
          Send it to one person: it works once, within seven days, and is not shown again.
        </ShownOnce>
      )}
      {open.length > 0 && <OpenInvitations open={open} />}
    </Card>
  );
}

type Open = { id: number; role: string; note: string; invitedBy: string; expiresAt: Date };

function OpenInvitations({ open }: { open: readonly Open[] }) {
  const trpc = useTrpc();
  const takeBack = useAction(trpc.people.takeBackInvitation.mutationOptions(), {
    stale: [trpc.people.invitations.queryFilter()],
    toast: "Invitation withdrawn",
  });
  return (
    <div className="mt-4">
      <Table caption="Unused invitations">
        <thead>
          <tr>
            <HeadCell>For</HeadCell>
            <HeadCell>Role</HeadCell>
            <HeadCell>Invited by</HeadCell>
            <HeadCell>Ends</HeadCell>
            <ActionsHead />
          </tr>
        </thead>
        <tbody>
          {open.map(({ id, role, note, invitedBy, expiresAt }) => (
            <tr key={id}>
              <Cell>{note === "" ? `number ${id}` : note}</Cell>
              <Cell>{role}</Cell>
              <Cell>{invitedBy}</Cell>
              <Cell className="whitespace-nowrap text-muted">{expiresAt.toISOString().slice(0, 10)}</Cell>
              <Cell>
                <Button aria-label={`Withdraw the invitation ${note || id}`} onClick={() => takeBack.mutate({ id })}>
                  Withdraw
                </Button>
              </Cell>
            </tr>
          ))}
        </tbody>
      </Table>
    </div>
  );
}
