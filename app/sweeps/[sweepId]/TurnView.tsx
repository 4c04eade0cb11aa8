"use client";
import { useQuery } from "@tanstack/react-query";
import { Link } from "#app/_ui/Link.tsx";
import { useTrpc } from "#app/_trpc/client.tsx";
import { PriorityButtons } from "#app/_components/sweeps/PriorityButtons.tsx";
import { formatPriority } from "#app/_components/sweeps/formatPriority.ts";
import { prepareTurn } from "./prepareTurn.ts";

/** Queue position of the sweep's waiting runs, and buttons that change it; nothing if none waits. */
export function TurnView({ sweepId }: { sweepId: string }) {
  const trpc = useTrpc();
  const { data: queue = [] } = useQuery(trpc.nodes.queue.queryOptions(undefined, { refetchInterval: 5000 }));
  const turn = prepareTurn(queue, sweepId);
  if (!turn) return null;
  const { sweepName, priorityMinutes, isFirst, position, problem } = turn;
  return (
    <div className="mb-4 flex flex-wrap items-center gap-x-3 gap-y-1.5 text-sm">
      <span>
        Priority: {formatPriority(priorityMinutes)}; {position} in the{" "}
        <Link href="/nodes" className="text-accent underline">
          queue
        </Link>
      </span>
      <span className="flex gap-1">
        <PriorityButtons {...{ sweepId, sweepName, priorityMinutes, isFirst }} />
      </span>
      {problem !== null && <span className="text-bad">Cannot be placed: {problem}</span>}
    </div>
  );
}
