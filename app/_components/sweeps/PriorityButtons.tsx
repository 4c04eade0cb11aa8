"use client";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useTrpc } from "#app/_trpc/client.tsx";
import { errorWords } from "#app/_trpc/errorWords.ts";
import { Button } from "#app/_ui/Button.tsx";
import { useToast } from "#app/_ui/Toast.tsx";
import { formatPriority } from "./formatPriority.ts";

type Props = { sweepId: string; sweepName: string; priorityMinutes: number; isFirst: boolean };

const hour = 60;

/** A sweep's turn: before all others, or an hour sooner or later, each by one click. */
export function PriorityButtons({ sweepId, sweepName, priorityMinutes, isFirst }: Props) {
  const trpc = useTrpc();
  const queryClient = useQueryClient();
  const toast = useToast();
  const change = useMutation(
    trpc.nodes.prioritise.mutationOptions({
      onSuccess: ({ minutes }) => {
        toast(`${sweepName}: priority ${formatPriority(minutes)}`);
        return queryClient.invalidateQueries(trpc.nodes.queue.queryFilter());
      },
      onError: (error) => toast(errorWords(error), "bad"),
    }),
  );
  const set = (priority: number | "front") => () => change.mutate({ sweepId, priority });
  return (
    <>
      <Button disabled={change.isPending || isFirst} onClick={set("front")} aria-label={`${sweepName} to the front`}>
        To the front
      </Button>
      <Button
        disabled={change.isPending}
        onClick={set(priorityMinutes + hour)}
        aria-label={`${sweepName} an hour sooner`}
        title="As if launched an hour earlier"
      >
        +1 h
      </Button>
      <Button
        disabled={change.isPending}
        onClick={set(priorityMinutes - hour)}
        aria-label={`${sweepName} an hour later`}
        title="As if launched an hour later"
      >
        −1 h
      </Button>
    </>
  );
}
