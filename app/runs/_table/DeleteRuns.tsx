"use client";
import { formatCount } from "#app/_charts/format.ts";
import { useTrpc } from "#app/_trpc/client.tsx";
import { errorWords } from "#app/_trpc/errorWords.ts";
import { useAction } from "#app/_trpc/useAction.ts";
import { ActionButton } from "#app/_ui/ActionButton.tsx";
import { Dialog } from "#app/_ui/Dialog.tsx";
import { Notice } from "#app/_ui/Notice.tsx";

type Props = {
  ids: string[];
  isAsking: boolean;
  /** Called when the dialog closes, with either answer. */
  onAsked: () => void;
  onDone: () => void;
};

/** Asks for confirmation before runs are deleted, and lists what else is lost. */
export function DeleteRuns({ ids, isAsking, onAsked, onDone }: Props) {
  const trpc = useTrpc();
  const remove = useAction(trpc.runTable.delete.mutationOptions(), {
    stale: "everything",
    showsError: true,
    toast: ({ numRuns }) => `${formatCount(numRuns, "run")} deleted`,
    onDone: () => {
      onAsked();
      onDone();
    },
  });
  return (
    <Dialog
      open={isAsking}
      title={`Delete ${formatCount(ids.length, "run")}?`}
      onClose={onAsked}
      footer={
        <ActionButton kind="danger" disabled={remove.isPending} onClick={() => remove.mutate({ ids })}>
          Delete {formatCount(ids.length, "run")}
        </ActionButton>
      }
    >
      <p>
        Their measurements are deleted, and tables proved with them can no longer be verified. Archiving keeps both.
        Their files stay in the state folder.
      </p>
      {remove.error && (
        <div className="mt-3">
          <Notice tone="bad">{errorWords(remove.error)}</Notice>
        </div>
      )}
    </Dialog>
  );
}
