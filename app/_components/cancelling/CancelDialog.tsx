"use client";
import type { ReactNode } from "react";
import { undoSeconds } from "#server/domain/fleet/cancellation.ts";
import { Button } from "#app/_ui/Button.tsx";
import { Dialog } from "#app/_ui/Dialog.tsx";
import { useCancel, type Cancellable } from "./useCancel.ts";

type Props = { of: Cancellable; isAsking: boolean; onAsked: () => void; children: ReactNode };

/** Asks for confirmation before a sweep or a run is cancelled; the children name the runs that stop. */
export function CancelDialog({ of, isAsking, onAsked, children }: Props) {
  const { cancel } = useCancel(of);
  const confirm = () => {
    onAsked();
    cancel();
  };
  return (
    <Dialog
      open={isAsking}
      title={`Cancel this ${of.kind}?`}
      onClose={onAsked}
      footer={
        <>
          <Button onClick={onAsked}>Keep going</Button>
          <Button kind="danger" onClick={confirm}>
            Cancel the {of.kind}
          </Button>
        </>
      }
    >
      {children} You can undo it for {undoSeconds} seconds.
    </Dialog>
  );
}
