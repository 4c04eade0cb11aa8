"use client";
import { useQuery } from "@tanstack/react-query";
import type { RunStatus } from "#server/domain/runStatus.ts";
import { describeUntaught } from "#server/domain/stability/verdict/describeUntaught.ts";
import { useTrpc } from "#app/_trpc/client.tsx";
import { Notice } from "#app/_ui/Notice.tsx";

type Props = { sweepId: string; counts: Record<RunStatus, number> };

/** Warning if runs of the sweep never succeed, from their first evaluation on; nothing if they do. */
export function UntaughtView({ sweepId, counts }: Props) {
  const trpc = useTrpc();
  const isOpen = counts.pending + counts.starting + counts.running + counts.unknown > 0;
  const { data = 0 } = useQuery(
    trpc.stability.untaught.queryOptions({ sweepId }, { refetchInterval: isOpen ? 15_000 : false }),
  );
  const sentence = describeUntaught(
    data,
    Object.values(counts).reduce((sum, n) => sum + n, 0),
  );
  if (sentence === undefined) return null;
  return (
    <div className="mb-4">
      <Notice tone="warn">{sentence}.</Notice>
    </div>
  );
}
