"use client";
import { useRouter } from "next/navigation";
import { useState } from "react";
import { formatCount } from "#app/_charts/format.ts";
import { useTrpc } from "#app/_trpc/client.tsx";
import { useAction } from "#app/_trpc/useAction.ts";
import { Button } from "#app/_ui/Button.tsx";
import { Dialog } from "#app/_ui/Dialog.tsx";
import { Icon } from "#app/_ui/Icon.tsx";

type Props = { sweep: { id: string; name: string; numRuns: number; iterationsDone: number } };

/** For sweeps that are over: forgets one for good, after asking. */
export function DeleteSweep({ sweep }: Props) {
  const trpc = useTrpc();
  const router = useRouter();
  const [isAsking, setIsAsking] = useState(false);
  const remove = useAction(trpc.sweep.delete.mutationOptions(), {
    toast: `${sweep.name} is deleted`,
    stale: [trpc.sweep.list.queryFilter()],
    onDone: () => router.replace("/sweeps"),
  });
  return (
    <>
      <Button disabled={remove.isPending || remove.isSuccess} onClick={() => setIsAsking(true)}>
        <Icon name="trash" /> Delete
      </Button>
      <Dialog
        open={isAsking}
        title="Delete this sweep?"
        onClose={() => setIsAsking(false)}
        footer={
          <>
            <Button onClick={() => setIsAsking(false)}>Keep it</Button>
            <Button
              kind="danger"
              onClick={() => {
                setIsAsking(false);
                remove.mutate({ id: sweep.id });
              }}
            >
              Delete {sweep.name}
            </Button>
          </>
        }
      >
        {formatCount(sweep.numRuns, "run")} with {formatCount(sweep.iterationsDone, "iteration")} will be gone from here
        for good: curves, collapses and verdicts. Tables made of them can no longer be verified. The folders of the
        runs, with their logs and policies, stay where they are.
      </Dialog>
    </>
  );
}
