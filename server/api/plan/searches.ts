import { spendingOf } from "#trainer/spec/budget.ts";
import type { Database } from "#server/db/storage/client.ts";
import { readDecisions } from "#server/db/plan/searches.ts";
import { readSearchLimits } from "#server/db/plan/searchLimits.ts";
import { readSweep } from "#server/db/plan/sweeps.ts";
import { readTrialCosts, readTrialRungs } from "#server/db/plan/trialRungs.ts";
import { toColumnValues } from "#server/domain/analysis/hyperparameters/column.ts";
import { type ImportanceStudy, studyImportance } from "#server/domain/analysis/hyperparameters/study.ts";
import { accountOf, type SearchAccount, finalLoss, sumAccounts } from "#server/domain/plan/search/account.ts";
import type { Search } from "#server/domain/plan/search/decide.ts";
import { describeFront, type Front } from "#server/domain/plan/search/front.ts";
import { type Schedule, type Limit, lossOf, nextRung, type Verdict } from "#server/domain/plan/search/schedule.ts";
import { type Constraint, fromLoss, type Objective, toLoss } from "#server/domain/plan/search/objective.ts";
import { replay } from "#server/domain/plan/search/replay.ts";
import { type SearchedTrial, replayRungs } from "#server/domain/plan/search/replayRungs.ts";
import type { Point } from "#server/domain/plan/search/space.ts";
import { titleOfSetting } from "#server/domain/plan/sweep/labels/settingTitles.ts";
import { listConfigurations } from "#server/domain/plan/sweep/expand/expand.ts";
import {
  aimsOf,
  firstObjective,
  scheduleOf,
  type SearchPlan,
  type SearchUse,
  sumUse,
} from "#server/domain/plan/search/searchPlan.ts";
import { joinRungs } from "#server/domain/plan/sweep/searchStep.ts";
import { searchOf } from "#server/domain/plan/sweep/expand/searchTrials.ts";

/** State of a trial. `waiting`: at a rung until further trials reach it. `whole`: trained with the full budget. */
export type TrialState = "running" | "waiting" | "whole" | "stopped" | "collapsed" | "lost" | "refused";

export type ShownTrial = {
  number: number;
  point: Point;
  cellId: number | null;
  state: TrialState;
  /** Value of the first objective so far; null before the first measurement. */
  value: number | null;
  /** Value of each objective; null if not measured. */
  values: (number | null)[];
  /** Total amount by which constraints are violated; null without constraints or measurements. */
  violation: number | null;
  iteration: number | null;
  isControl: boolean;
  reason: string;
  reached: { rung: number; value: number | null; verdict: Verdict["kind"] | null; reason: string | null }[];
};

export type ShownConfiguration = {
  name: string;
  /** Rungs of successive halving; null if every trial gets the full budget. */
  schedule: Pick<Schedule, "of" | "rungs" | "selection"> | null;
  trials: ShownTrial[];
  /** Maximum number of trials of this method and environment. `limit`: the reason if a user changed it, else null. */
  maxTrials: number;
  limit: { kind: Limit["kind"]; reason: string } | null;
  /** Number of the best fully trained trial by the first objective; null until a trial is fully trained. */
  best: number | null;
  /** Numbers of the trials with the same displayed value as the best trial, including the best trial. */
  tied: number[];
  /** Pareto front of the objectives; null if there is only one objective. */
  front: Front | null;
  account: SearchAccount | null;
  /** Sentences about stored decisions that differ when they are recomputed; normally there are none. */
  differences: string[];
};

export type SearchReport = {
  /** Sampled settings, in the order of the plan. */
  parameters: { path: string; title: string }[];
  objective: Objective;
  objectives: readonly Objective[];
  constraints: readonly Constraint[];
  budget: NonNullable<SearchPlan["budget"]> | null;
  used: SearchUse;
  numSeeds: number;
  configurations: ShownConfiguration[];
  account: SearchAccount | null;
  importance: ImportanceStudy;
};

type Kept = SearchedTrial & { arm: number; cellId: number | null };

/** Report of a sweep's search: trials, best settings, stopped trials and savings; null if the sweep is no search. */
export async function readSearchReport({ pool, ...database }: Database, sweepId: string): Promise<SearchReport | null> {
  const { plan } = await readSweep({ pool, ...database }, sweepId);
  const search = plan?.search;
  if (!plan || !search) return null;
  const [decisions, limits, rungs, costs] = await Promise.all([
    readDecisions(pool, sweepId),
    readSearchLimits(pool, sweepId),
    readTrialRungs(pool, sweepId),
    readTrialCosts(pool, sweepId),
  ]);
  const kept = joinRungs(decisions, rungs);
  const numSeeds = plan.seeds.length;
  const costOf = new Map(costs.map((cost) => [cost.cellId, cost]));
  const configurations = listConfigurations(plan).map((cell, arm): ShownConfiguration => {
    const { method, label, spec } = cell;
    const own = limits.filter((limit) => limit.arm === arm);
    const limit = own.at(-1);
    const numIterations = spendingOf(spec).iterations;
    const schedule = scheduleOf(search, { numSeeds, numIterations });
    const trials = kept.filter((one) => one.arm === arm);
    const shown = trials.map((trial) => showTrial(search, schedule, trial));
    const tied = findBest(search, shown);
    const name = [method, label].filter(Boolean).join(" · ");
    const used = ({ number }: SearchedTrial) => {
      const cost = costOf.get(trials.find((one) => one.number === number)?.cellId ?? -1);
      return { iterations: cost?.iterations ?? 0, slotMs: cost?.slotMs ?? 0, whole: numSeeds * numIterations };
    };
    return {
      name,
      schedule: schedule ? { of: schedule.of, rungs: schedule.rungs, selection: schedule.selection } : null,
      trials: shown,
      maxTrials: limit?.trials ?? search.trials,
      limit: limit ? { kind: limit.kind, reason: limit.reason } : null,
      best: tied[0] ?? null,
      tied,
      front: findFront(search, shown),
      account: schedule ? accountOf(schedule, trials, used) : null,
      differences: listDifferences(searchOf(search, cell), schedule, { trials, limits: own }),
    };
  });
  const accounts = configurations.flatMap(({ account }) => account ?? []);
  const account = accounts.length > 0 ? sumAccounts(accounts) : null;
  return {
    parameters: Object.keys(search.space).map((path) => ({ path, title: titleOfSetting(path) })),
    objective: firstObjective(search),
    ...aimsOf(search),
    budget: search.budget ?? null,
    used: sumUse(costs),
    numSeeds,
    configurations,
    account,
    importance: studyTrials(search, configurations),
  };
}

function showTrial(search: SearchPlan, schedule: Schedule | undefined, trial: Kept): ShownTrial {
  const { objectives } = aimsOf(search);
  const toValue = (loss: number | undefined, objective = firstObjective(search)) =>
    loss === undefined || !Number.isFinite(loss) ? null : fromLoss(objective, loss);
  const { number, point, cellId, reason, reached, outcome } = trial;
  const losses = outcome?.kind === "measured" || outcome?.kind === "stopped" ? outcome.losses : [];
  const last = reached.findLast(({ losses }) => losses.length > 0);
  return {
    number,
    point,
    cellId,
    reason,
    state: stateOf(schedule, trial),
    value: toValue(losses[0] ?? (outcome === null && last ? lossOf(last) : undefined)),
    values: objectives.map((objective, i) => toValue(losses[i], objective)),
    violation: outcome?.kind === "measured" ? (outcome.violation ?? null) : null,
    iteration: outcome?.kind === "stopped" || outcome?.kind === "collapsed" ? outcome.iteration : null,
    isControl: reached.some(({ verdict }) => verdict?.kind === "letGoOn"),
    reached: reached.map((one) => ({
      rung: one.rung,
      value: toValue(one.losses.length > 0 ? lossOf(one) : undefined),
      verdict: one.verdict?.kind ?? null,
      reason: one.verdict?.reason ?? null,
    })),
  };
}

function stateOf(schedule: Schedule | undefined, trial: Kept): TrialState {
  const { cellId, outcome } = trial;
  if (cellId === null) return "refused";
  if (outcome === null)
    return schedule !== undefined && nextRung(schedule, trial) === undefined ? "waiting" : "running";
  if (outcome.kind !== "measured") return outcome.kind;
  return schedule === undefined || finalLoss(schedule, trial) !== undefined ? "whole" : "stopped";
}

/** Numbers the best fully trained trials with equal displayed values, by violation, then by first objective. */
function findBest(search: SearchPlan, trials: readonly ShownTrial[]): number[] {
  const objective = firstObjective(search);
  const lossOfTrial = ({ value }: ShownTrial) => toLoss(objective, value ?? NaN);
  const whole = trials.filter(({ state, value }) => state === "whole" && value !== null);
  const ordered = whole.toSorted(
    (a, b) => (a.violation ?? 0) - (b.violation ?? 0) || lossOfTrial(a) - lossOfTrial(b) || a.number - b.number,
  );
  const [best] = ordered;
  const isAlike = ({ value, violation }: ShownTrial) =>
    violation === best?.violation && value?.toPrecision(3) === best?.value?.toPrecision(3);
  return ordered.filter(isAlike).map(({ number }) => number);
}

function findFront(search: SearchPlan, trials: readonly ShownTrial[]): Front | null {
  const { objectives } = aimsOf(search);
  if (objectives.length < 2) return null;
  const sound = trials.filter(({ state, violation }) => state === "whole" && (violation ?? 0) === 0);
  return describeFront(
    sound.map(({ number, values }) => ({
      number,
      losses: objectives.map((objective, i) => toLoss(objective, values[i] ?? NaN)),
    })),
  );
}

type Searched = { trials: readonly Kept[]; limits: readonly Limit[] };

function listDifferences(search: Search, schedule: Schedule | undefined, { trials, limits }: Searched): string[] {
  if (schedule !== undefined) return replayRungs(search, schedule, { trials, limits }).map(({ text }) => text);
  return replay(search, trials, limits).flatMap((other, i) =>
    other === undefined ? [] : [`trial ${trials[i]?.number} would be sampled with ${JSON.stringify(other.point)}`],
  );
}

/** Importance of parameters for the objective. Several methods or environments count as a parameter. */
function studyTrials({ space }: SearchPlan, configurations: readonly ShownConfiguration[]): ImportanceStudy {
  const all = configurations.flatMap(({ name, trials }) => trials.map((trial) => ({ name, ...trial })));
  const columns = Object.keys(space).map((key) => ({
    key,
    title: titleOfSetting(key),
    values: toColumnValues(all.map(({ point }) => point[key])),
  }));
  const method = { key: "method", title: "Method", values: all.map(({ name }) => name) };
  return studyImportance(
    configurations.length > 1 ? [method, ...columns] : columns,
    all.map(({ value }) => value),
  );
}
