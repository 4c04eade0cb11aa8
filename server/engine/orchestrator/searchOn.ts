import type { Database } from "#server/db/storage/client.ts";
import { readSeries } from "#server/db/runs/points.ts";
import {
  applySearchStep,
  readDecisions,
  readEndedTrials,
  readOpenSearches,
  readSearchUse,
  type SearchDecision,
  type SearchStep,
} from "#server/db/plan/searches.ts";
import { readSearchLimits } from "#server/db/plan/searchLimits.ts";
import { decideTrial, isDrawnElsewhere } from "#server/domain/plan/search/decide.ts";
import { isOverruled, type Limit, limitAt } from "#server/domain/plan/search/schedule.ts";
import { type Aims, metricsOf } from "#server/domain/plan/search/objective.ts";
import { judgeTrial, type TrialRun } from "#server/domain/plan/search/outcome.ts";
import type { Trial } from "#server/domain/plan/search/trial.ts";
import { groupBy } from "#packages/base";
import { listConfigurations } from "#server/domain/plan/sweep/expand/expand.ts";
import { aimsOf, describeSpent, endsSearch, type SearchPlan } from "#server/domain/plan/search/searchPlan.ts";
import { makeTrialCell, searchOf } from "#server/domain/plan/sweep/expand/searchTrials.ts";
import { decideAtRungs, type Searched } from "./decideAtRungs.ts";

/** Advances every search: promotes or stops trials that finished or reached a rung, and samples the next. */
export async function searchOn({ pool }: Pick<Database, "pool">): Promise<void> {
  for (const { id, plan } of await readOpenSearches(pool)) {
    if (!plan.search) continue;
    const searched = { ...plan, search: plan.search };
    const hasRungs = plan.search.halving !== undefined || plan.search.racing !== undefined;
    const step = hasRungs ? await decideAtRungs(pool, id, searched) : await decideStep(pool, id, searched);
    if (step) await applySearchStep(pool, id, step);
  }
}

/** Decides the next round of a search that trains every trial in full; undefined if there is nothing to decide. */
async function decideStep(pool: Database["pool"], sweepId: string, plan: Searched): Promise<SearchStep | undefined> {
  const { search, seeds } = plan;
  const kept = await readDecisions(pool, sweepId);
  const limits = await readSearchLimits(pool, sweepId);
  const spent = search.budget && describeSpent(search, await readSearchUse(pool, sweepId));
  const runsOf = await readTrialRuns(pool, sweepId, aimsOf(search));
  const outcomes = kept.flatMap(({ arm, number, cellId, outcome }) => {
    const runs = cellId === null || outcome !== null ? undefined : runsOf.get(cellId);
    return runs ? [{ arm, number, outcome: judgeTrial(runs, aimsOf(search)) }] : [];
  });
  const rounds = listConfigurations(plan).map((cell, arm) => {
    const judged = new Map(outcomes.filter((one) => one.arm === arm).map((one) => [one.number, one.outcome]));
    const keptHere = kept.filter((one) => one.arm === arm);
    const trials = keptHere.map((one) => toTrial(one, judged.get(one.number)));
    const limitsHere = limits.filter((limit) => limit.arm === arm);
    const latest = Math.max(-1, ...[...keptHere, ...limitsHere].map(({ step }) => step));
    const own = { search, cell, spent, limits: limitsHere, nextStep: latest + 1 };
    return { arm, ...drawTrials(own, trials) };
  });
  const decisions = rounds.flatMap(({ arm, drawn }) => drawn.map((one) => ({ ...one, arm })));
  const added = rounds.flatMap(({ arm, limit }) => (limit ? [{ ...limit, arm }] : []));
  if (outcomes.length + decisions.length + added.length === 0) return undefined;
  return { outcomes, decisions, seeds, limits: added };
}

function toTrial({ number, point, outcome }: SearchDecision, judged: Trial["outcome"]): Trial {
  const known = outcome ?? judged;
  return { number, point, ...(known && { outcome: known }) };
}

type Round = {
  search: SearchPlan;
  cell: ReturnType<typeof listConfigurations>[number];
  limits: readonly Limit[];
  spent: string | undefined;
  /** First unused index in the sequence of sampled trials for this method and environment. */
  nextStep: number;
};

/** Samples until `search.parallel` trials are unfinished; invalid trials count as failed. `limit` ends the search. */
function drawTrials({ search, cell, limits, spent, nextStep }: Round, before: readonly Trial[]) {
  const trials = [...before];
  const drawn: ReturnType<typeof drawOne>[] = [];
  const own = searchOf(search, cell, limits);
  const most = limitAt(search.trials, limits);
  const canEnd = trials.length < most && !isOverruled(limits);
  const drawOne = (step: number) => {
    const decision = decideTrial(own, trials);
    const made = makeTrialCell(own, cell, decision);
    return { ...decision, step, cell: "problem" in made ? null : made };
  };
  const reason = canEnd ? (endsSearch(search, trials) ?? spent) : undefined;
  if (reason !== undefined) {
    const limit: Limit = { step: nextStep, kind: "ended", trials: trials.length, reason };
    return { drawn, limit };
  }
  if (isDrawnElsewhere(own, trials.length)) return { drawn, limit: undefined };
  while (trials.length < most && trials.filter(({ outcome }) => !outcome).length < search.parallel) {
    const decision = drawOne(nextStep + drawn.length);
    drawn.push(decision);
    trials.push({ ...decision, ...(decision.cell === null && { outcome: { kind: "lost" } }) });
  }
  return { drawn, limit: undefined };
}

/** Reads, by cell id, the runs of finished trials without a stored outcome, with the curves of their objective. */
async function readTrialRuns(pool: Database["pool"], sweepId: string, aims: Aims): Promise<Map<number, TrialRun[]>> {
  const ended = await readEndedTrials(pool, sweepId);
  const series = await readSeries(pool, { runIds: ended.map(({ runId }) => runId), keys: metricsOf(aims) });
  const seriesOf = groupBy(series, ({ runId }) => runId);
  const runs = ended.map(({ runId, cellId, status, reason, iteration, budget }) => {
    const curves = Object.fromEntries(
      (seriesOf.get(runId) ?? []).map(({ key, iterations, values }) => [
        key,
        Array.from(iterations, (at, i) => ({ iteration: at, value: values[i] ?? NaN })),
      ]),
    );
    const end = endOf(status, reason);
    return { cellId, run: { end, iteration: end === "completed" ? budget : iteration, curves } };
  });
  return new Map([...groupBy(runs, ({ cellId }) => cellId)].map(([id, all]) => [id, all.map(({ run }) => run)]));
}

function endOf(status: string, reason: string | null): TrialRun["end"] {
  if (status === "finished") return "completed";
  return reason === "stopped_by_rule" || reason === "diverged" ? "collapsed" : "lost";
}
