import type { inferRouterOutputs } from "@trpc/server";
import type { AppRouter } from "#server/api/root.ts";
import type { RunRow } from "#server/db/runs/runs.ts";
import type { SweepPlan } from "#server/domain/plan/sweep/schema.ts";
import { formatCount } from "#app/_charts/format.ts";
import { isOver } from "#server/domain/runs/runStatus.ts";

type Outputs = inferRouterOutputs<AppRouter>;
/** A sweep with its configurations and runs, as its page reads them. */
export type LaunchedSweep = { sweep: Outputs["sweep"]["byId"]; grid: Outputs["run"]["grid"] };

/** Counts missing runs: a run is missing if its configuration lacks a seed that other configurations have. */
export function countHoles(grid: { cells: readonly unknown[]; runs: readonly { seed: number }[] }): number {
  const numSeeds = new Set(grid.runs.map(({ seed }) => seed)).size;
  return Math.max(0, grid.cells.length * numSeeds - grid.runs.length);
}

/** In a search, the search decides the seeds of each trial. A cancelled sweep is reopened only if no run is left. */
export function canAddSeeds({ origin, plan, intent, counts }: LaunchedSweep["sweep"]): boolean {
  const { pending, starting, running, unknown, cancelled } = counts;
  return (
    origin === "plan" &&
    plan?.search === undefined &&
    (intent !== "cancel" || pending + starting + running + unknown + cancelled === 0)
  );
}

/** Formats seeds: "seed 3", "seeds 3 and 4", "seeds 1, 3 and 4". */
export function describeSeeds(given: readonly number[]): string {
  const seeds = [...new Set(given)].sort((a, b) => a - b).map(String);
  const last = seeds.at(-1) ?? "none";
  const words = seeds.length > 1 ? `${seeds.slice(0, -1).join(", ")} and ${last}` : last;
  return `${seeds.length === 1 ? "seed" : "seeds"} ${words}`;
}

/** Returns the runs that were added after the launch and have not ended, and can therefore still be cancelled. */
export function listOpenAdded<Row extends Pick<RunRow, "addedAt" | "status">>(runs: readonly Row[]): Row[] {
  return runs.filter(({ addedAt, status }) => addedAt !== null && !isOver(status));
}

export function formatAdded(plan: SweepPlan, runs: readonly Pick<RunRow, "seed" | "addedAt">[]): string {
  const added = runs.filter(({ addedAt }) => addedAt !== null).map(({ seed }) => seed);
  const frozen = `Plan frozen at launch with ${describeSeeds(plan.seeds)}`;
  return added.length === 0
    ? frozen
    : `${frozen}; ${formatCount(added.length, "run")} of ${describeSeeds(added)} added since`;
}

export function seedEffects(word: string, onDone: () => void) {
  const toast = ({ numRuns }: { numRuns: number }) => `${formatCount(numRuns, "run")} ${word}`;
  return { toast, onDone, stale: "everything", showsError: true } as const;
}
