"use client";

import { type ReactNode, useState } from "react";
import { formatCount } from "#packages/base";
import { useTrpc } from "#app/_trpc/client.tsx";
import { useAction } from "#app/_trpc/useAction.ts";
import { ActionButton } from "#app/_ui/ActionButton.tsx";
import { Icon } from "#app/_ui/Icon.tsx";
import { undoSeconds } from "#server/domain/fleet/cancellation.ts";
import { Button } from "#app/_ui/Button.tsx";
import { Dialog } from "#app/_ui/Dialog.tsx";

type Props = { of: Cancellable; isAsking: boolean; onAsked: () => void; children: ReactNode };

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
          <Button onClick={onAsked}>Do not cancel</Button>
          <Button kind="danger" onClick={confirm}>
            Cancel the {of.kind}
          </Button>
        </>
      }
    >
      {children} You can undo the cancellation for {undoSeconds} seconds.
    </Dialog>
  );
}

export function CancelButton({ of, label, children }: { of: Cancellable; label: string; children: ReactNode }) {
  const [isAsking, setIsAsking] = useState(false);
  return (
    <>
      <ActionButton kind="danger" onClick={() => setIsAsking(true)}>
        <Icon name="stop" /> {label}
      </ActionButton>
      <CancelDialog of={of} isAsking={isAsking} onAsked={() => setIsAsking(false)}>
        {children}
      </CancelDialog>
    </>
  );
}

export type Cancellable = { kind: "sweep" | "run"; id: string };

export function useCancel({ kind, id }: Cancellable) {
  const trpc = useTrpc();
  const stale = [trpc.sweep.pathFilter(), trpc.run.pathFilter(), trpc.palette.pathFilter()];
  const undone = { stale, toast: "Cancellation undone" };
  const order = {
    sweep: useAction(trpc.sweep.cancel.mutationOptions(), { stale }),
    run: useAction(trpc.run.cancel.mutationOptions(), { stale }),
  }[kind];
  const undo = {
    sweep: useAction(trpc.sweep.takeBackCancel.mutationOptions(), undone),
    run: useAction(trpc.run.takeBackCancel.mutationOptions(), undone),
  }[kind];
  return {
    isPending: order.isPending || undo.isPending,
    cancel: () => order.mutate({ id, undoSeconds }),
    takeBack: () => undo.mutate({ id }),
  };
}

type EvaluationsProps = { of: { ids: number[] } | { sweepIds: string[] }; label: string };

export function CancelEvaluations({ of, label }: EvaluationsProps) {
  const trpc = useTrpc();
  const cancel = useAction(trpc.run.cancelEvaluations.mutationOptions(), {
    stale: [trpc.run.evaluations.pathFilter(), trpc.nodes.pathFilter()],
    toast: (count) => `${formatCount(count, "evaluation")} cancelled`,
  });
  return (
    <ActionButton kind="quiet" className="ml-2" disabled={cancel.isPending} onClick={() => cancel.mutate(of)}>
      {label}
    </ActionButton>
  );
}
