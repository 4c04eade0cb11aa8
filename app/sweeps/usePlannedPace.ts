import { useQuery } from "@tanstack/react-query";
import { useTrpc } from "#app/_trpc/client.tsx";
import type { SweepSummary } from "#server/db/plan/sweeps.ts";
import type { PlannedPace } from "#server/domain/plan/sweep/estimate/estimate.ts";

/** Reads the plan's estimate of the time left; null if the sweep has none, undefined while it loads or without live runs. */
export function usePlannedPace({ id, origin, counts }: SweepSummary): PlannedPace | null | undefined {
  const isBusy = counts.running + counts.starting + counts.unknown > 0;
  const isPlanned = origin === "plan";
  const { data } = useQuery(
    useTrpc().sweep.plannedPace.queryOptions({ id }, { enabled: isBusy && isPlanned, refetchInterval: 10_000 }),
  );
  return isPlanned ? data : null;
}
