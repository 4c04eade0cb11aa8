"use client";
import { useState } from "react";
import { formatCount } from "#app/_charts/format.ts";
import { useTrpc } from "#app/_trpc/client.tsx";
import { useAction } from "#app/_trpc/useAction.ts";
import { ActionButton } from "#app/_ui/ActionButton.tsx";
import { Button } from "#app/_ui/Button.tsx";
import { Dialog } from "#app/_ui/Dialog.tsx";
import { Icon } from "#app/_ui/Icon.tsx";
import { useSweepQueries } from "./useSweepQueries.ts";

type Props = { id: string; counts: { pending: number; starting: number; running: number; unknown: number } };

/** Ends a sweep that goes on, after asking. */
export function CancelSweep({ id, counts: { pending, starting, running, unknown } }: Props) {
  const trpc = useTrpc();
  const [isAsking, setIsAsking] = useState(false);
  const cancel = useAction(trpc.sweep.cancel.mutationOptions(), {
    toast: "Cancelling: each run is being stopped",
    stale: useSweepQueries(id),
  });
  const confirm = () => {
    setIsAsking(false);
    cancel.mutate({ id });
  };
  return (
    <>
      <ActionButton kind="danger" disabled={cancel.isPending} onClick={() => setIsAsking(true)}>
        <Icon name="stop" /> Cancel
      </ActionButton>
      <Dialog
        open={isAsking}
        title="Cancel this sweep?"
        onClose={() => setIsAsking(false)}
        footer={
          <>
            <Button onClick={() => setIsAsking(false)}>Keep going</Button>
            <Button kind="danger" onClick={confirm}>
              Cancel the sweep
            </Button>
          </>
        }
      >
        {formatCount(starting + running + unknown, "running run")} will be stopped and {pending} pending will not start.
        What they have measured is kept, and they can be retried.
      </Dialog>
    </>
  );
}
