"use client";
import { pages } from "#server/domain/pages.ts";
import { useRouter } from "next/navigation";
import { formatCount } from "#app/_charts/format.ts";
import { useTrpc } from "#app/_trpc/client.tsx";
import { useAction } from "#app/_trpc/useAction.ts";
import { Button } from "#app/_ui/Button.tsx";
import { Dialog } from "#app/_ui/Dialog.tsx";

type Props = {
  sweep: { id: string; name: string; numRuns: number; iterationsDone: number };
  isAsking: boolean;
  /** Called when the dialog closes, with either answer. */
  onAsked: () => void;
};

/** Deletes a finished sweep permanently, after a confirmation. */
export function DeleteSweep({ sweep, isAsking, onAsked }: Props) {
  const trpc = useTrpc();
  const router = useRouter();
  const remove = useAction(trpc.sweep.delete.mutationOptions(), {
    toast: `${sweep.name} is deleted`,
    stale: [trpc.sweep.list.queryFilter()],
    onDone: () => router.replace(pages.sweeps),
  });
  return (
    <Dialog
      open={isAsking}
      title="Delete this sweep?"
      onClose={onAsked}
      footer={
        <>
          <Button onClick={onAsked}>Keep it</Button>
          <Button
            kind="danger"
            disabled={remove.isPending || remove.isSuccess}
            onClick={() => {
              onAsked();
              remove.mutate({ id: sweep.id });
            }}
          >
            Delete {sweep.name}
          </Button>
        </>
      }
    >
      {formatCount(sweep.numRuns, "run")} with {formatCount(sweep.iterationsDone, "iteration")} will be gone from here
      for good: curves, collapses and verdicts. Tables made of them can no longer be verified. The folders of the runs,
      with their logs and policies, stay where they are.
    </Dialog>
  );
}
