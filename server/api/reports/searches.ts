import { spendingOf } from "#trainer/spec/budget.ts";
import type { Database } from "#server/db/client.ts";
import { readDecisions } from "#server/db/searches.ts";
import { readSweep } from "#server/db/sweeps.ts";
import { readTrialCosts, readTrialRungs } from "#server/db/trialRungs.ts";
import { toColumnValues } from "#server/domain/importance/column.ts";
import { type ImportanceStudy, studyImportance } from "#server/domain/importance/study.ts";
import { accountOfClimb, type ClimbAccount, finalLoss, sumAccounts } from "#server/domain/search/account.ts";
import { type Ladder, lossOf, nextRung, type Verdict } from "#server/domain/search/ladder.ts";
import { replay } from "#server/domain/search/replay.ts";
import { type ClimbedTrial, replayClimb } from "#server/domain/search/replayClimb.ts";
import type { Point } from "#server/domain/search/space.ts";
import { listArms } from "#server/domain/sweep/expand.ts";
import { ladderOf, type SearchPlan } from "#server/domain/sweep/searchPlan.ts";
import { joinRungs } from "#server/domain/sweep/searchStep.ts";

/** `waiting`: at a rung, until others have reached it; `whole`: trained with all iterations and seeds. */
export type TrialState = "running" | "waiting" | "whole" | "stopped" | "collapsed" | "lost" | "refused";

export type ShownTrial = {
  number: number;
  point: Point;
  cellId: number | null;
  state: TrialState;
  /** What it comes to by the objective so far; null where nothing was measured. */
  value: number | null;
  /** Where it was stopped or collapsed, in iterations. */
  iteration: number | null;
  isControl: boolean;
  reason: string;
  reached: { rung: number; value: number | null; verdict: Verdict["kind"] | null; reason: string | null }[];
};

export type ShownArm = {
  name: string;
  /** What each rung asks for; null where every trial is trained whole. */
  ladder: Pick<Ladder, "of" | "rungs" | "selection"> | null;
  trials: ShownTrial[];
  /** Number of the best trial that was trained whole; null before there is one. */
  best: number | null;
  account: ClimbAccount | null;
  /** Decisions that would come out otherwise today, in sentences; none is expected. */
  differences: string[];
};

export type SearchReport = {
  objective: SearchPlan["objective"];
  trialsEach: number;
  numSeeds: number;
  arms: ShownArm[];
  account: ClimbAccount | null;
  importance: ImportanceStudy;
};

type Kept = ClimbedTrial & { arm: number; cellId: number | null };

/** What a sweep's search has tried, found, stopped and saved; null for a sweep without one. */
export async function readSearchReport({ pool, ...database }: Database, sweepId: string): Promise<SearchReport | null> {
  const { plan } = await readSweep({ pool, ...database }, sweepId);
  const search = plan?.search;
  if (!plan || !search) return null;
  const [decisions, rungs, costs] = await Promise.all([
    readDecisions(pool, sweepId),
    readTrialRungs(pool, sweepId),
    readTrialCosts(pool, sweepId),
  ]);
  const kept = joinRungs(decisions, rungs);
  const numSeeds = plan.seeds.length;
  const costOf = new Map(costs.map((cost) => [cost.cellId, cost]));
  const arms = listArms(plan).map(({ method, label, spec }, arm): ShownArm => {
    const numIterations = spendingOf(spec).iterations;
    const ladder = ladderOf(search, { numSeeds, numIterations });
    const trials = kept.filter((one) => one.arm === arm);
    const shown = trials.map((trial) => showTrial(search, ladder, trial));
    const name = [method, label].filter(Boolean).join(" · ");
    const used = ({ number }: ClimbedTrial) => {
      const cost = costOf.get(trials.find((one) => one.number === number)?.cellId ?? -1);
      return { iterations: cost?.iterations ?? 0, slotMs: cost?.slotMs ?? 0, whole: numSeeds * numIterations };
    };
    return {
      name,
      ladder: ladder ? { of: ladder.of, rungs: ladder.rungs, selection: ladder.selection } : null,
      trials: shown,
      best: findBest(search, shown),
      account: ladder ? accountOfClimb(ladder, trials, used) : null,
      differences: listDifferences(search, ladder, trials),
    };
  });
  const accounts = arms.flatMap(({ account }) => account ?? []);
  const account = accounts.length > 0 ? sumAccounts(accounts) : null;
  return {
    objective: search.objective,
    trialsEach: search.trials,
    numSeeds,
    arms,
    account,
    importance: studyTrials(search, arms),
  };
}

function showTrial({ objective }: SearchPlan, ladder: Ladder | undefined, trial: Kept): ShownTrial {
  const toValue = (loss: number | undefined) => {
    if (loss === undefined || !Number.isFinite(loss)) return null;
    return objective.goal === "maximize" ? -loss : loss;
  };
  const { number, point, cellId, reason, reached, outcome } = trial;
  const measured = outcome?.kind === "measured" || outcome?.kind === "stopped" ? outcome.losses[0] : undefined;
  const last = reached.findLast(({ losses }) => losses.length > 0);
  return {
    number,
    point,
    cellId,
    reason,
    state: stateOf(ladder, trial),
    value: toValue(measured ?? (outcome === null && last ? lossOf(last) : undefined)),
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

function stateOf(ladder: Ladder | undefined, trial: Kept): TrialState {
  const { cellId, outcome } = trial;
  if (cellId === null) return "refused";
  if (outcome === null) return ladder !== undefined && nextRung(ladder, trial) === undefined ? "waiting" : "running";
  if (outcome.kind !== "measured") return outcome.kind;
  return ladder === undefined || finalLoss(ladder, trial) !== undefined ? "whole" : "stopped";
}

function findBest({ objective }: SearchPlan, trials: readonly ShownTrial[]): number | null {
  const sign = objective.goal === "maximize" ? 1 : -1;
  const whole = trials.filter(({ state, value }) => state === "whole" && value !== null);
  return whole.toSorted((a, b) => sign * ((b.value ?? 0) - (a.value ?? 0)) || a.number - b.number)[0]?.number ?? null;
}

function listDifferences(search: SearchPlan, ladder: Ladder | undefined, trials: readonly Kept[]): string[] {
  if (ladder !== undefined) return replayClimb(search, ladder, trials).map(({ text }) => text);
  return replay(search, trials).flatMap((other, i) =>
    other === undefined ? [] : [`trial ${trials[i]?.number} drawn: today ${JSON.stringify(other.point)}`],
  );
}

/** What decides the objective among all trials; of several arms, which one it is counts as a parameter. */
function studyTrials({ space }: SearchPlan, arms: readonly ShownArm[]): ImportanceStudy {
  const all = arms.flatMap(({ name, trials }) => trials.map((trial) => ({ name, ...trial })));
  const columns = Object.keys(space).map((key) => ({
    key,
    title: key,
    values: toColumnValues(all.map(({ point }) => point[key])),
  }));
  const method = { key: "method", title: "method", values: all.map(({ name }) => name) };
  return studyImportance(
    arms.length > 1 ? [method, ...columns] : columns,
    all.map(({ value }) => value),
  );
}
