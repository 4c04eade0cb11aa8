"use client";
import { useQuery } from "@tanstack/react-query";
import type { RunStatus } from "#server/domain/runStatus.ts";
import { useTrpc } from "#app/_trpc/client.tsx";
import { formatStopping } from "./formatStopping.ts";

type Props = { sweepId: string; counts: Record<RunStatus, number> };

/** The sweep's stopping rule with its savings and costs. */
export function StoppingView({ sweepId, counts }: Props) {
  const trpc = useTrpc();
  const isOpen = counts.pending + counts.starting + counts.running + counts.unknown > 0;
  const options = { refetchInterval: isOpen ? (10_000 as const) : (false as const) };
  const { data } = useQuery(trpc.sweep.stopping.queryOptions({ id: sweepId }, options));
  if (!data) return null;
  const { rule, account } = formatStopping(data);
  return (
    <p className="mb-4 rounded-lg border border-line bg-surface px-3 py-2 text-sm">
      <span className="font-medium">{rule}</span> <span className="text-muted">{account}</span>
    </p>
  );
}
