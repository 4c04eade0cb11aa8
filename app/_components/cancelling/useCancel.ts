"use client";
import { undoSeconds } from "#server/domain/fleet/cancellation.ts";
import { useTrpc } from "#app/_trpc/client.tsx";
import { useAction } from "#app/_trpc/useAction.ts";

export type Cancellable = { kind: "sweep" | "run"; id: string };

/** Cancels a sweep or a run with a delay of some seconds, and undoes it within them. */
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
