"use client";
import { useState } from "react";
import { formatCount } from "#app/_charts/format.ts";
import { useTrpc } from "#app/_trpc/client.tsx";
import { errorWords } from "#app/_trpc/errorWords.ts";
import { useAction } from "#app/_trpc/useAction.ts";
import { Button } from "#app/_ui/Button.tsx";
import { Dialog } from "#app/_ui/Dialog.tsx";
import { Notice } from "#app/_ui/Notice.tsx";

/** Asks before it deletes runs, and names the proofs that rest on them. */
export function DeleteButton({ ids, onDone }: { ids: string[]; onDone: () => void }) {
  const trpc = useTrpc();
  const [isOpen, setOpen] = useState(false);
  const remove = useAction(trpc.runTable.delete.mutationOptions(), {
    stale: "everything",
    showsError: true,
    toast: ({ numRuns }) => `${formatCount(numRuns, "run")} deleted`,
    onDone: () => {
      setOpen(false);
      onDone();
    },
  });
  return (
    <>
      <Button kind="danger" onClick={() => setOpen(true)}>
        Delete
      </Button>
      <Dialog
        open={isOpen}
        title={`Delete ${formatCount(ids.length, "run")}?`}
        onClose={() => setOpen(false)}
        footer={
          <Button kind="danger" disabled={remove.isPending} onClick={() => remove.mutate({ ids })}>
            Delete {formatCount(ids.length, "run")}
          </Button>
        }
      >
        <p>
          Everything they measured leaves the studio, and tables that were proved with them can no longer be verified.
          Archiving keeps both. Their files stay in the state folder.
        </p>
        {remove.error && (
          <div className="mt-3">
            <Notice tone="bad">{errorWords(remove.error)}</Notice>
          </div>
        )}
      </Dialog>
    </>
  );
}
