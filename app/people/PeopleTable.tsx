"use client";
import { useState } from "react";
import type { PersonRow } from "#server/db/people/people.ts";
import type { Role } from "#server/domain/people/role.ts";
import { Ago } from "#app/_components/Ago.tsx";
import { useTrpc } from "#app/_trpc/client.tsx";
import { useAction } from "#app/_trpc/useAction.ts";
import { Button } from "#app/_ui/Button.tsx";
import { Choice } from "#app/_ui/Choice.tsx";
import { Dialog } from "#app/_ui/Dialog.tsx";
import { ActionsHead, Cell, HeadCell, Table } from "#app/_ui/Table.tsx";
import { roleOptions } from "./roleOptions.ts";

type Props = { people: readonly PersonRow[]; isAdministrator: boolean; ownName: string | null };

export function PeopleTable({ people, isAdministrator, ownName }: Props) {
  const [leaving, setLeaving] = useState<PersonRow>();
  return (
    <>
      <Table caption="People by name">
        <thead>
          <tr>
            <HeadCell>Name</HeadCell>
            <HeadCell>Role</HeadCell>
            <HeadCell>Last seen</HeadCell>
            <HeadCell className="text-right">Browsers</HeadCell>
            <HeadCell className="text-right">Tokens</HeadCell>
            {isAdministrator && <ActionsHead />}
          </tr>
        </thead>
        <tbody>
          {people.map((person) => (
            <tr key={person.id}>
              <Cell className="font-medium">
                {person.name}
                {person.name === ownName && <span className="font-normal text-muted"> (you)</span>}
              </Cell>
              <Cell>{isAdministrator ? <RoleChoice person={person} /> : person.role}</Cell>
              <Cell className="whitespace-nowrap text-muted">
                <Ago at={person.lastSeenAt} />
              </Cell>
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
      <p>Their browsers are signed out and their tokens end at once. Their sweeps and changes keep their name.</p>
    </Dialog>
  );
}
