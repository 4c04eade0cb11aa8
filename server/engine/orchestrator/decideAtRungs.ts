import { spendingOf } from "#trainer/spec/budget.ts";
import type { Database } from "#server/db/storage/client.ts";
import { readSeries } from "#server/db/runs/points.ts";
import { readRungRuns, readDecisions, readSearchUse, type SearchStep } from "#server/db/plan/searches.ts";
import { readSearchLimits } from "#server/db/plan/searchLimits.ts";
import { readTrialRungs } from "#server/db/plan/trialRungs.ts";
import { groupBy } from "#packages/base";
import { type RungRun, isDue } from "#server/domain/plan/search/rungResults.ts";
import type { Schedule } from "#server/domain/plan/search/schedule.ts";
import { metricsOf } from "#server/domain/plan/search/objective.ts";
import type { SearchedTrial } from "#server/domain/plan/search/replayRungs.ts";
import { listConfigurations } from "#server/domain/plan/sweep/expand/expand.ts";
import type { SweepPlan } from "#server/domain/plan/sweep/schema.ts";
import {
  aimsOf,
  countFirstSeeds,
  describeSpent,
  scheduleOf,
  type SearchPlan,
} from "#server/domain/plan/search/searchPlan.ts";
import {
  type SearchRound,
  countSeeds,
  joinRungs,
  stepSearch,
  type StepTrial,
} from "#server/domain/plan/sweep/searchStep.ts";

export type Searched = SweepPlan & { search: SearchPlan };
type RunRow = Awaited<ReturnType<typeof readRungRuns>>[number];
type KeptTrial = SearchedTrial & { arm: number; cellId: number | null };

/** Decides the next round of a search with rungs, such as ASHA; undefined if there is nothing to decide. */
export async function decideAtRungs(
  pool: Database["pool"],
  sweepId: string,
  plan: Searched,
): Promise<SearchStep | undefined> {
  const kept = joinRungs(await readDecisions(pool, sweepId), await readTrialRungs(pool, sweepId));
  const runsOf = groupBy(await readRungRuns(pool, sweepId), ({ cellId }) => cellId);
  const { search, seeds } = plan;
  const limits = await readSearchLimits(pool, sweepId);
  const spent = search.budget && describeSpent(search, await readSearchUse(pool, sweepId));
  const configurations = listConfigurations(plan).flatMap((cell, arm) => {
    const size = { numSeeds: seeds.length, numIterations: spendingOf(cell.spec).iterations };
    const schedule = scheduleOf(search, size);
    return schedule ? [{ arm, cell, schedule, trials: kept.filter((one) => one.arm === arm) }] : [];
  });
  const steps = await Promise.all(
    configurations.map(async ({ arm, cell, schedule, trials }) => {
      const known = await readTrials(pool, { plan, schedule, trials, runsOf });
      const searched = { search, schedule, cell, spent, limits: limits.filter((limit) => limit.arm === arm) };
      return { arm, schedule, trials: known, made: stepSearch(searched, known) };
    }),
  );
  const of = <Item extends object>(pick: (made: SearchRound) => Item[]) =>
    steps.flatMap(({ arm, made }) => pick(made).map((item) => ({ ...item, arm })));
  const consequences = steps.map((step) => follow(step, seeds));
  const rungs = {
    reached: of(({ reached }) => reached),
    verdicts: of(({ verdicts }) => verdicts),
    added: consequences.flatMap(({ added }) => added),
    stopped: consequences.flatMap(({ stopped }) => stopped),
  };
  const decisions = of(({ drawn }) => drawn);
  const newLimits = of((made) => made.limits);
  if (rungs.reached.length + rungs.verdicts.length + decisions.length + newLimits.length === 0) return undefined;
  const firstSeeds = seeds.slice(0, countFirstSeeds(search, seeds.length));
  return { outcomes: of(({ outcomes }) => outcomes), decisions, seeds: firstSeeds, limits: newLimits, rungs };
}

type Read = { plan: Searched; schedule: Schedule; trials: readonly KeptTrial[]; runsOf: ReadonlyMap<number, RunRow[]> };

/** Reads a search's trials with their runs. A trial that has reached its next rung gets the curves of its objective. */
async function readTrials(pool: Database["pool"], { plan, schedule, trials, runsOf }: Read) {
  const placeOf = new Map(plan.seeds.map((seed, i) => [seed, i]));
  const withRuns = trials.map((trial) => {
    const rows = runsOf.get(trial.cellId ?? -1) ?? [];
    const runs = rows.map((row) => ({ ...toRun(row), seedIndex: placeOf.get(row.seed) ?? -1, runId: row.runId }));
    return { ...trial, runs, isRead: trial.outcome === null && isDue(schedule, trial, runs) };
  });
  const runIds = withRuns.flatMap(({ isRead, runs }) => (isRead ? runs.map(({ runId }) => runId) : []));
  const series = runIds.length === 0 ? [] : await readSeries(pool, { runIds, keys: metricsOf(aimsOf(plan.search)) });
  const curveOf = new Map(
    series.map(({ runId, iterations, values }) => [
      runId,
      Array.from(iterations, (iteration, i) => ({ iteration, value: values[i] ?? NaN })),
    ]),
  );
  return withRuns.map((trial) => ({
    ...trial,
    runs: trial.runs.map((run): RungRun => ({ ...run, curve: curveOf.get(run.runId) ?? [] })),
  }));
}

function toRun(row: RunRow): Pick<RungRun, "end" | "iteration"> {
  const { isOver, hasCollapsed, status, reason, iteration, budget } = row;
  if (!isOver) return { end: null, iteration };
  if (hasCollapsed) return { end: "collapsed", iteration };
  if (status !== "finished") return { end: "lost", iteration };
  return reason === "stopped_by_rule" ? { end: "stopped", iteration } : { end: "completed", iteration: budget };
}

type Followed = { schedule: Schedule; trials: readonly (StepTrial & { cellId: number | null })[]; made: SearchRound };

/**
 * Returns the runs to add or cancel after decisions. On rungs of seeds, promoted trials and their controls get runs
 * with further seeds; on rungs of iterations, the runs of stopped trials are cancelled.
 */
function follow({ schedule, trials, made }: Followed, seeds: readonly number[]) {
  const cellOf = new Map(trials.map(({ number, cellId }) => [number, cellId]));
  const goingOn = made.verdicts.flatMap(({ number, kind, rung, reason }) => {
    const cellId = cellOf.get(number) ?? null;
    return cellId === null ? [] : [{ cellId, kind, rung, reason, number }];
  });
  if (schedule.of === "iterations") {
    const stopped = goingOn.filter(({ kind }) => kind === "stopped");
    return {
      added: [],
      stopped: stopped.map(({ cellId, number, reason }) => ({
        cellId,
        text: `trial ${number}: ${reason}; the search stops it`,
      })),
    };
  }
  const added = goingOn
    .filter(({ kind }) => kind !== "stopped")
    .flatMap(({ cellId, kind, rung }) => {
      const numSeeds = countSeeds(schedule, { kind, rung });
      return seeds.slice(0, numSeeds).map((seed) => ({ cellId, seed }));
    });
  return { added, stopped: [] };
}
