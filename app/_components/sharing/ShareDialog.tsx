"use client";
import { useState } from "react";
import type { Shared } from "#server/domain/publish/links.ts";
import { useTrpc } from "#app/_trpc/client.tsx";
import { errorWords } from "#app/_trpc/errorWords.ts";
import { useAction } from "#app/_trpc/useAction.ts";
import { ActionButton } from "#app/_ui/ActionButton.tsx";
import { ChoiceField } from "#app/_ui/Choice.tsx";
import { Dialog } from "#app/_ui/Dialog.tsx";
import { Notice } from "#app/_ui/Notice.tsx";
import { ShownOnce } from "../ShownOnce.tsx";

const ends = [
  { value: "1", label: "a day" },
  { value: "7", label: "a week" },
  { value: "30", label: "30 days" },
  { value: "365", label: "a year" },
] as const;
type Days = (typeof ends)[number]["value"];

type Props = { shared: Shared; what: string; onClose: () => void };

export function ShareDialog({ shared, what, onClose }: Props) {
  const trpc = useTrpc();
  const [days, setDays] = useState<Days>("30");
  const [address, setAddress] = useState<string>();
  const create = useAction(trpc.link.create.mutationOptions(), {
    stale: [trpc.link.list.queryFilter()],
    showsError: true,
    onDone: ({ text }) => setAddress(`${window.location.origin}/api/shared/${text}`),
  });
  return (
    <Dialog open title="Share a read-only link" onClose={onClose}>
      <p className="mb-4">
        Anyone with the link can view the current state of {what} without signing in. The link gives access to nothing
        else. Before the link expires, you can end it on the page Shared links.
      </p>
      <div className="flex flex-wrap items-end gap-3">
        <ChoiceField<Days> label="Link valid for" options={ends} value={days} onChange={setDays} />
        <ActionButton
          kind="primary"
          disabled={create.isPending}
          onClick={() => create.mutate({ shared, days: Number(days) })}
        >
          Create link
        </ActionButton>
      </div>
      {create.error && (
        <div className="mt-4">
          <Notice tone="bad">{errorWords(create.error)}</Notice>
        </div>
      )}
      {address !== undefined && (
        <ShownOnce text={address} label="New link">
          Copy the link now: the studio does not show it again.
        </ShownOnce>
      )}
    </Dialog>
  );
}
