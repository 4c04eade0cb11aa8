"use client";

import { useSuspenseQuery } from "@tanstack/react-query";
import { AgoCell } from "#app/_components/Ago.tsx";
import { PageHead } from "#app/_components/PageHead.tsx";
import { ShownOnce } from "#app/_components/ShownOnce.tsx";
import { useTrpc } from "#app/_trpc/client.tsx";
import { Choice, ChoiceField } from "#app/_ui/Choice.tsx";
import { Dialog } from "#app/_ui/Dialog.tsx";
import { EmptyState, Notice } from "#app/_ui/Notice.tsx";
import { ActionsHead, Cell, Head, Table } from "#app/_ui/Table.tsx";
import type { PersonRow } from "#server/db/people/people.ts";
import { invitationPage } from "#server/domain/pages.ts";
import type { Role } from "#server/domain/people/access.ts";
import { useState } from "react";
import { errorWords } from "#app/_trpc/errorWords.ts";
import { useAction } from "#app/_trpc/useAction.ts";
import { Button } from "#app/_ui/Button.tsx";
import { Card } from "#app/_ui/Card.tsx";
import { TextField } from "#app/_ui/Field.tsx";
import { Form } from "#app/_ui/Input.tsx";

export function PeopleView({ minCharacters }: { minCharacters: number }) {
  const trpc = useTrpc();
  const { data: me } = useSuspenseQuery(trpc.people.me.queryOptions());
  const { data: people } = useSuspenseQuery(trpc.people.list.queryOptions());
  const isAdministrator = me.role === "administrator";
  return (
    <>
      <PageHead title="People">
        Viewers can see everything. Editors can also launch, change and share sweeps and reports. Administrators can
        also manage people, alerts and prices.
      </PageHead>
      <div className="flex flex-col gap-6">
        {isAdministrator && <Guesses />}
        {people.length === 0 ? (
          <EmptyState title="No accounts yet">
            Anyone with the sign-in link from the terminal can do everything. Invite an administrator first, for example
            yourself. From then on, people sign in with a name and password.
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
      <p>Further sign-in attempts from these addresses are limited, except in browsers that have signed in before.</p>
    </Notice>
  );
}

/** Form that changes the reader's own password; every browser then has to sign in again. */
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
      <Form className="flex flex-wrap items-start gap-3" onSubmit={() => change.mutate({ current, next })}>
        <input type="hidden" name="username" autoComplete="username" value={name} readOnly />
        <TextField
          label="Current password"
          className="min-w-0 grow sm:max-w-60"
          error={change.error ? errorWords(change.error) : undefined}
          type="password"
          required
          autoComplete="current-password"
          value={current}
          onChange={(event) => setCurrent(event.target.value)}
        />
        <TextField
          label="New password"
          hint={`At least ${minCharacters} characters.`}
          className="min-w-0 grow sm:max-w-60"
          type="password"
          required
          minLength={minCharacters}
          maxLength={200}
          autoComplete="new-password"
          value={next}
          onChange={(event) => setNext(event.target.value)}
        />
        <Button type="submit" className="sm:mt-6" disabled={change.isPending}>
          Change, and sign out everywhere
        </Button>
      </Form>
    </Card>
  );
}

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
      <Form className="flex flex-wrap items-end gap-3" onSubmit={() => invite.mutate({ role, note })}>
        <ChoiceField<Role> label="Role" options={roleOptions} value={role} onChange={setRole} />
        <TextField
          label="Name of the invited person"
          className="min-w-0 grow sm:max-w-72"
          value={note}
          maxLength={200}
          onChange={(event) => setNote(event.target.value)}
        />
        <Button type="submit" kind="primary" disabled={invite.isPending}>
          Create invitation
        </Button>
      </Form>
      {address !== undefined && (
        <ShownOnce text={address} label="Invitation link">
          Send this link to one person. The link works once, within seven days, and is not shown again.
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
        <Head cells={["For", "Role", "Invited by", "Expires", <ActionsHead key="actions" />]} />
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

type Props = { people: readonly PersonRow[]; isAdministrator: boolean; ownName: string | null };

function PeopleTable({ people, isAdministrator, ownName }: Props) {
  const [leaving, setLeaving] = useState<PersonRow>();
  return (
    <>
      <Table caption="People by name">
        <Head
          cells={[
            "Name",
            "Role",
            "Last seen",
            { number: "Browsers" },
            { number: "Tokens" },
            isAdministrator && <ActionsHead key="actions" />,
          ]}
        />
        <tbody>
          {people.map((person) => (
            <tr key={person.id}>
              <Cell className="font-medium">
                {person.name}
                {person.name === ownName && <span className="font-normal text-muted"> (you)</span>}
              </Cell>
              <Cell>{isAdministrator ? <RoleChoice person={person} /> : person.role}</Cell>
              <AgoCell at={person.lastSeenAt} />
              <Cell className="text-right tabular-nums">{person.numSessions}</Cell>
              <Cell className="text-right tabular-nums">{person.numTokens}</Cell>
              {isAdministrator && (
                <Cell>
                  <Button kind="danger" aria-label={`Remove ${person.name}`} onClick={() => setLeaving(person)}>
                    Remove
                  </Button>
                </Cell>
              )}
            </tr>
          ))}
        </tbody>
      </Table>
      <RemoveDialog person={leaving} onClose={() => setLeaving(undefined)} />
    </>
  );
}

function RoleChoice({ person }: { person: PersonRow }) {
  const trpc = useTrpc();
  const setRole = useAction(trpc.people.setRole.mutationOptions(), {
    stale: [trpc.people.list.queryFilter(), trpc.people.me.queryFilter()],
    toast: (_, { role }) => `${person.name}: ${role}`,
  });
  return (
    <Choice<Role>
      label={`Role of ${person.name}`}
      options={roleOptions}
      value={person.role}
      onChange={(role) => setRole.mutate({ id: person.id, role })}
    />
  );
}

function RemoveDialog({ person, onClose }: { person: PersonRow | undefined; onClose: () => void }) {
  const trpc = useTrpc();
  const remove = useAction(trpc.people.remove.mutationOptions(), {
    stale: [trpc.people.pathFilter()],
    toast: `${person?.name ?? ""} removed`,
    onDone: onClose,
  });
  return (
    <Dialog
      open={person !== undefined}
      title={`Remove ${person?.name ?? ""}?`}
      onClose={onClose}
      footer={
        <>
          <Button onClick={onClose}>Keep</Button>
          <Button kind="danger" disabled={remove.isPending} onClick={() => person && remove.mutate({ id: person.id })}>
            Remove
          </Button>
        </>
      }
    >
      <p>
        All browsers of this person are signed out, and all tokens stop working at once. Sweeps and changes keep the
        person’s name.
      </p>
    </Dialog>
  );
}

const roleOptions = [
  { value: "viewer", label: "viewer" },
  { value: "editor", label: "editor" },
  { value: "administrator", label: "administrator" },
] as const;
