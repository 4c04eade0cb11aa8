"use client";
import { pages } from "#server/domain/pages.ts";
import { useGo } from "#app/_ui/useSelection.ts";
import { useState } from "react";
import { ShareButton } from "#app/_components/sharing/ShareButton.tsx";
import { useTrpc } from "#app/_trpc/client.tsx";
import { useAction } from "#app/_trpc/useAction.ts";
import { ActionButton } from "#app/_ui/ActionButton.tsx";
import { Button, buttonClasses } from "#app/_ui/Button.tsx";
import { Dialog } from "#app/_ui/Dialog.tsx";
import { Icon } from "#app/_ui/Icon.tsx";

type Props = {
  report: { id: string; title: string; frozenAt: Date | null };
  isEditing: boolean;
  onEdit: () => void;
};

export function ReportActions({ report: { id, title, frozenAt }, isEditing, onEdit }: Props) {
  const trpc = useTrpc();
  const stale = [trpc.report.pathFilter()];
  const freeze = useAction(trpc.report.freeze.mutationOptions(), {
    stale,
    toast: "Frozen: its figures no longer change",
  });
  const unfreeze = useAction(trpc.report.unfreeze.mutationOptions(), {
    stale,
    toast: "Live: its figures are updated",
  });
  const isBusy = freeze.isPending || unfreeze.isPending;
  return (
    <>
      <ActionButton kind={isEditing ? "primary" : "plain"} onClick={onEdit}>
        {isEditing ? "Done" : "Edit"}
      </ActionButton>
      {!isEditing && (
        <>
          <ActionButton disabled={isBusy} onClick={() => (frozenAt ? unfreeze : freeze).mutate({ id })}>
            {frozenAt ? "Make it live" : "Freeze"}
          </ActionButton>
          <a className={buttonClasses()} href={`/api/reports/${encodeURIComponent(id)}`} download>
            <Icon name="download" /> HTML file
          </a>
          <ShareButton shared={{ kind: "report", reportId: id }} what="this report" />
          <DeleteReport id={id} title={title} />
        </>
      )}
    </>
  );
}

function DeleteReport({ id, title }: { id: string; title: string }) {
  const trpc = useTrpc();
  const go = useGo();
  const [isAsking, setAsking] = useState(false);
  const remove = useAction(trpc.report.delete.mutationOptions(), {
    stale: [trpc.report.list.queryFilter()],
    toast: "Report deleted",
    onDone: () => go(pages.reports),
  });
  return (
    <>
      <ActionButton onClick={() => setAsking(true)}>
        <Icon name="trash" /> Delete
      </ActionButton>
      <Dialog
        open={isAsking}
        title={`Delete ${title}?`}
        onClose={() => setAsking(false)}
        footer={
          <Button kind="danger" disabled={remove.isPending} onClick={() => remove.mutate({ id })}>
            Delete
          </Button>
        }
      >
        <p>Its text and frozen figures are deleted; the runs it shows stay.</p>
      </Dialog>
    </>
  );
}
