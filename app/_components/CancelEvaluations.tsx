"use client";
import { formatCount } from "#packages/base";
import { useTrpc } from "#app/_trpc/client.tsx";
import { useAction } from "#app/_trpc/useAction.ts";
import { ActionButton } from "#app/_ui/ActionButton.tsx";

type Props = { of: { ids: number[] } | { sweepIds: string[] }; label: string };

/** Cancels waiting and running evaluations, by id or of all runs of sweeps. */
export function CancelEvaluations({ of, label }: Props) {
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
