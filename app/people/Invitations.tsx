"use client";
import { useSuspenseQuery } from "@tanstack/react-query";
import { invitationPage } from "#server/domain/pages.ts";
import { useState } from "react";
import type { Role } from "#server/domain/people/role.ts";
import { useTrpc } from "#app/_trpc/client.tsx";
import { useAction } from "#app/_trpc/useAction.ts";
import { Button } from "#app/_ui/Button.tsx";
import { Card } from "#app/_ui/Card.tsx";
import { Choice } from "#app/_ui/Choice.tsx";
import { Field } from "#app/_ui/Field.tsx";
import { Input } from "#app/_ui/Input.tsx";
import { ActionsHead, Cell, HeadCell, Table } from "#app/_ui/Table.tsx";
import { roleOptions } from "./roleOptions.ts";
import { ShownOnce } from "#app/_components/ShownOnce.tsx";

/** Creates invitations, and lists the unused ones. */
export function Invitations({ isFirst }: { isFirst: boolean }) {
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
