import { useQuery } from "@tanstack/react-query";
import { formatCount, formatRough } from "#app/_charts/format.ts";
import { mean } from "#packages/statistics";
import { useTrpc } from "#app/_trpc/client.tsx";
import { errorWords } from "#app/_trpc/errorWords.ts";
import { useAction } from "#app/_trpc/useAction.ts";
import { Button } from "#app/_ui/Button.tsx";
import { Dialog } from "#app/_ui/Dialog.tsx";
import { Notice } from "#app/_ui/Notice.tsx";
import type { CellRow, RunRow } from "#server/db/runs/runs.ts";
import { estimateRunSeconds } from "#server/domain/plan/sweep/estimate/estimate.ts";
import { expandPlan, widenGrid } from "#server/domain/plan/sweep/expand/expand.ts";
import type { SweepPlan } from "#server/domain/plan/sweep/plan.ts";
import { describeSeeds, type LaunchedSweep, seedEffects } from "./prepareSeeds.ts";

type Props = LaunchedSweep & {
  plan: SweepPlan;
  /** Number of new seeds per configuration; 0 adds only the missing runs of seeds that other configurations have. */
  numNew: number;
  onClose: () => void;
};

export function AskToAdd({ sweep, plan, grid, numNew, onClose }: Props) {
  const trpc = useTrpc();
  const { data: health } = useQuery(trpc.system.health.queryOptions());
  const slots = health && health.state !== "never" ? health.slots : 1;
  const add = useAction(trpc.run.addSeeds.mutationOptions(), seedEffects("added", onClose));
  const { runs, seeds, time } = prepareAdded({ grid, plan, slots }, numNew);
  return (
    <Dialog
      open
      title={numNew === 0 ? "Add the missing runs?" : `Add ${numNew === 1 ? "a seed" : formatCount(numNew, "seed")}?`}
      onClose={onClose}
      footer={
        <>
          <Button onClick={onClose}>Do not launch</Button>
          <Button kind="primary" disabled={add.isPending} onClick={() => add.mutate({ sweepId: sweep.id, numNew })}>
            {add.isPending ? "Launching…" : `Launch ${runs}`}
          </Button>
        </>
      }
    >
      <p>
        {runs} of {seeds}: {time}.
      </p>
      <p className="mt-2 text-sm text-muted">
        {sweep.intent === "pause" ? "The sweep is paused, so the new runs wait until the sweep is resumed. " : ""}
        You can remove these runs again until they finish.
      </p>
      {add.error && <Notice tone="bad">{errorWords(add.error)}</Notice>}
    </Dialog>
  );
}

type Grid = { cells: readonly Pick<CellRow, "id" | "index">[]; runs: readonly GridRow[] };
type GridRow = Pick<RunRow, "cellId" | "seed" | "status" | "startedAt" | "endedAt" | "addedAt">;

type Asked = { grid: Grid; plan: SweepPlan; slots: number };

/** Estimates durations from runs of the same configuration, else of this sweep, else from the plan's settings. */
export function prepareAdded({ grid, plan, slots }: Asked, numNew: number) {
  const added = widenGrid(grid, numNew);
  const took = measureRuns(grid.runs);
  const all = [...took.values()].flat();
  const guess = all.length > 0 ? undefined : guessRuns(grid, plan);
  const timesMs = added.map(({ cellId }) => guess?.get(cellId) ?? mean(took.get(cellId) ?? all));
  const slotMs = (plan.placement?.slots ?? 1) * timesMs.reduce((sum, ms) => sum + ms, 0);
  const ms = Math.max(slotMs / Math.max(1, slots), ...timesMs);
  const source = guess ? "estimated from the plan" : "estimated from the runs so far";
  return {
    numRuns: added.length,
    runs: formatCount(added.length, "run"),
    seeds: describeSeeds(added.map(({ seed }) => seed)),
    slotMs,
    time: Number.isNaN(ms)
      ? "the duration is unknown until a run has ended, because the size of the pretrained model is unknown"
      : `about ${formatRough(ms)} on ${formatCount(slots, "slot")}, ${source}`,
  };
}

/** Returns the durations of finished runs in ms, by cell id. */
function measureRuns(runs: readonly GridRow[]): Map<number, number[]> {
  const took = new Map<number, number[]>();
  for (const { cellId, status, startedAt, endedAt } of runs) {
    if (status !== "finished" || !startedAt || !endedAt) continue;
    took.set(cellId, [...(took.get(cellId) ?? []), endedAt.getTime() - startedAt.getTime()]);
  }
  return took;
}

function guessRuns({ cells }: Grid, plan: SweepPlan): Map<number, number> {
  const seconds = new Map(expandPlan(plan).cells.map(({ index, spec }) => [index, estimateRunSeconds(spec)]));
  return new Map(cells.map(({ id, index }) => [id, 1000 * (seconds.get(index) ?? 0)]));
}
