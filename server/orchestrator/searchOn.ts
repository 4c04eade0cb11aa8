import type { Database } from "#server/db/client.ts";
import { readSeries } from "#server/db/points.ts";
import {
  applySearchStep,
  readDecisions,
  readEndedTrials,
  readOpenSearches,
  type SearchDecision,
  type SearchStep,
} from "#server/db/searches.ts";
import { decideTrial } from "#server/domain/search/decide.ts";
import { judgeTrial, type TrialRun } from "#server/domain/search/outcome.ts";
import type { Trial } from "#server/domain/search/trial.ts";
import { groupBy } from "#server/domain/groupBy.ts";
import { listArms } from "#server/domain/sweep/expand.ts";
import type { SweepPlan } from "#server/domain/sweep/schema.ts";
import type { SearchPlan } from "#server/domain/sweep/searchPlan.ts";
import { makeTrialCell } from "#server/domain/sweep/searchTrials.ts";
import { decideClimbing } from "./climbOn.ts";

/** Judges the trials that are over or have come to a rung and draws the next ones, in every sweep that searches. */
export async function searchOn({ pool }: Pick<Database, "pool">): Promise<void> {
  for (const { id, plan } of await readOpenSearches(pool)) {
    if (!plan.search) continue;
    const searched = { ...plan, search: plan.search };
    const climbs = plan.search.halving !== undefined || plan.search.racing !== undefined;
    const step = climbs ? await decideClimbing(pool, id, searched) : await decideStep(pool, id, searched);
    if (step) await applySearchStep(pool, id, step);
  }
}

async function decideStep(
  pool: Database["pool"],
  sweepId: string,
  plan: SweepPlan & { search: SearchPlan },
): Promise<SearchStep> {
  const kept = await readDecisions(pool, sweepId);
  const runsOf = await readTrialRuns(pool, sweepId, plan.search.objective.metric);
  const outcomes = kept.flatMap(({ arm, number, cellId, outcome }) => {
    const runs = cellId === null || outcome !== null ? undefined : runsOf.get(cellId);
    return runs ? [{ arm, number, outcome: judgeTrial(runs, plan.search.objective.goal) }] : [];
  });
  const decisions = listArms(plan).flatMap((cell, arm) => {
    const judged = new Map(outcomes.filter((one) => one.arm === arm).map((one) => [one.number, one.outcome]));
    const trials = kept.filter((one) => one.arm === arm).map((one) => toTrial(one, judged.get(one.number)));
    return drawTrials(plan.search, cell, trials).map((decision) => ({ ...decision, arm, step: decision.number }));
  });
  return { outcomes, decisions, seeds: plan.seeds };
}
function toTrial({ number, point, outcome }: SearchDecision, judged: Trial["outcome"]): Trial {
  const known = outcome ?? judged;
  return { number, point, ...(known && { outcome: known }) };
}

/** Until as many run as may; a trial whose settings are refused is lost at once, and the next one is drawn. */
function drawTrials(search: SearchPlan, arm: ReturnType<typeof listArms>[number], before: readonly Trial[]) {
  const trials = [...before];
  const drawn = [];
  while (trials.length < search.trials && trials.filter(({ outcome }) => !outcome).length < search.parallel) {
    const decision = decideTrial(search, trials);
    const made = makeTrialCell(search, arm, decision);
    const cell = "problem" in made ? null : made;
    drawn.push({ ...decision, cell });
    trials.push({ ...decision, ...(cell === null && { outcome: { kind: "lost" } }) });
  }
  return drawn;
}

/** By cell: how the runs of trials ended that are over and not judged, and what they logged of the objective. */
async function readTrialRuns(
  pool: Database["pool"],
  sweepId: string,
  metric: string,
): Promise<Map<number, TrialRun[]>> {
  const ended = await readEndedTrials(pool, sweepId);
  const series = await readSeries(pool, { runIds: ended.map(({ runId }) => runId), keys: [metric] });
  const seriesOf = new Map(series.map((one) => [one.runId, one]));
  const runs = ended.map(({ runId, cellId, status, reason, iteration, budget }) => {
    const { iterations = [], values = [] } = seriesOf.get(runId) ?? {};
    const curve = Array.from(iterations, (at, i) => ({ iteration: at, value: values[i] ?? NaN }));
    const end = endOf(status, reason);
    return { cellId, run: { end, iteration: end === "completed" ? budget : iteration, curve } };
  });
  return new Map([...groupBy(runs, ({ cellId }) => cellId)].map(([id, all]) => [id, all.map(({ run }) => run)]));
}

function endOf(status: string, reason: string | null): TrialRun["end"] {
  if (status === "finished") return "completed";
  return reason === "stopped_by_rule" || reason === "diverged" ? "collapsed" : "lost";
}
