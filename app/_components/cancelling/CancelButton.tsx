"use client";
import { useState, type ReactNode } from "react";
import { undoSeconds } from "#server/domain/cancellation.ts";
import { ActionButton } from "#app/_ui/ActionButton.tsx";
import { Button } from "#app/_ui/Button.tsx";
import { Dialog } from "#app/_ui/Dialog.tsx";
import { Icon } from "#app/_ui/Icon.tsx";
import { useCancel, type Cancellable } from "./useCancel.ts";

/** Ends a sweep or a run that goes on, after asking; the children say what will be stopped. */
export function CancelButton({ of, label, children }: { of: Cancellable; label: string; children: ReactNode }) {
  const [isAsking, setIsAsking] = useState(false);
  const { cancel, isPending } = useCancel(of);
  const confirm = () => {
    setIsAsking(false);
    cancel();
  };
  return (
    <>
      <ActionButton kind="danger" disabled={isPending} onClick={() => setIsAsking(true)}>
        <Icon name="stop" /> {label}
      </ActionButton>
      <Dialog
        open={isAsking}
        title={`Cancel this ${of.kind}?`}
        onClose={() => setIsAsking(false)}
        footer={
          <>
            <Button onClick={() => setIsAsking(false)}>Keep going</Button>
            <Button kind="danger" onClick={confirm}>
              Cancel the {of.kind}
            </Button>
          </>
        }
      >
        {children} You can undo it for {undoSeconds} seconds.
      </Dialog>
    </>
  );
}
