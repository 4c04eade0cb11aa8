"use client";
import { useState } from "react";
import type { Ending } from "#server/db/tracked.ts";
import { useTrpc } from "#app/_trpc/client.tsx";
import { useAction } from "#app/_trpc/useAction.ts";
import { ActionButton } from "#app/_ui/ActionButton.tsx";
import { Button } from "#app/_ui/Button.tsx";
import { Dialog } from "#app/_ui/Dialog.tsx";
import { Icon } from "#app/_ui/Icon.tsx";

/** Ends a received run whose program is gone, after asking for its result. */
export function EndButton({ runId }: { runId: string }) {
  const [isAsking, setIsAsking] = useState(false);
  const trpc = useTrpc();
  const stale = [trpc.sweep.pathFilter(), trpc.run.pathFilter(), trpc.palette.pathFilter()];
  const end = useAction(trpc.run.end.mutationOptions(), { toast: "Run ended", stale });
  const confirm = (as: Ending) => {
    setIsAsking(false);
    end.mutate({ id: runId, as });
  };
  return (
    <>
      <ActionButton kind="danger" disabled={end.isPending} onClick={() => setIsAsking(true)}>
        <Icon name="stop" /> End run
      </ActionButton>
      <Dialog
        open={isAsking}
        title="End this run?"
        onClose={() => setIsAsking(false)}
        footer={
          <>
            <Button onClick={() => setIsAsking(false)}>Leave it open</Button>
            <Button onClick={() => confirm("finished")}>It finished</Button>
            <Button kind="danger" onClick={() => confirm("failed")}>
              It crashed
            </Button>
          </>
        }
      >
        A program normally reports the end of its run. End it here if the program is gone; the run then ends at its last
        measurement. If the program reports again, its own report counts.
      </Dialog>
    </>
  );
}
