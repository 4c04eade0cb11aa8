"use client";
import { useTrpc } from "#app/_trpc/client.tsx";
import { useAction } from "#app/_trpc/useAction.ts";
import { ActionButton } from "#app/_ui/ActionButton.tsx";
import { formatPriority } from "./formatPriority.ts";

type Props = { sweepId: string; sweepName: string; priorityMinutes: number; isFirst: boolean };

const hour = 60;

/** Moves a sweep in the queue: to the front, or an hour earlier or later. */
export function PriorityButtons({ sweepId, sweepName, priorityMinutes, isFirst }: Props) {
  const trpc = useTrpc();
  const change = useAction(trpc.nodes.prioritise.mutationOptions(), {
    toast: ({ minutes }) => `${sweepName}: priority ${formatPriority(minutes)}`,
    stale: [trpc.nodes.queue.queryFilter()],
  });
  const set = (priority: number | "front") => () => change.mutate({ sweepId, priority });
  return (
    <>
      <ActionButton
        disabled={change.isPending || isFirst}
        onClick={set("front")}
        aria-label={`${sweepName} to the front`}
      >
        To the front
      </ActionButton>
      <ActionButton
        disabled={change.isPending}
        onClick={set(priorityMinutes + hour)}
        aria-label={`${sweepName} an hour sooner`}
        title="As if launched an hour earlier"
      >
        +1 h
      </ActionButton>
      <ActionButton
        disabled={change.isPending}
        onClick={set(priorityMinutes - hour)}
        aria-label={`${sweepName} an hour later`}
        title="As if launched an hour later"
      >
        −1 h
      </ActionButton>
    </>
  );
}
