import { groupBy } from "#packages/base";
import { toOutcome } from "#packages/detector";
import { finalWindow } from "#packages/statistics";
import { spendingOf } from "#trainer/spec/budget.ts";
import { canonicalJson } from "#trainer/spec/canonical.ts";
import { nameOfEnvironment, titleOfEnvironment } from "#trainer/spec/environmentTexts.ts";
import { originOf, type Origin } from "#trainer/spec/origin.ts";
import { readStabilityFacts, readUndetected } from "#server/db/analysis/detections.ts";
import { readPrecedents } from "#server/db/analysis/rescue.ts";
import { readBranches } from "#server/db/analysis/branchRuns.ts";
import { findLeftOut } from "#server/db/runs/dependentRuns.ts";
import { readSeries } from "#server/db/runs/points.ts";
import type { Database } from "#server/db/storage/client.ts";
import { judgeBranch } from "#server/domain/analysis/branchOutcome.ts";
import { citePrecedents } from "#server/domain/analysis/precedents.ts";
import { reportRescue, type RescueReport, type RescueRun } from "#server/domain/analysis/rescue.ts";
import { nameArm } from "#server/domain/analysis/rescueArms.ts";
import type { EqualChoice, LeftOut } from "#server/domain/plan/sweep/dependence.ts";
import { isOver } from "#server/domain/runs/runStatus.ts";

const success = "evaluation/successRate";
const duration = "time/iterationMs";
const maxAwaited = 100_000;

/**
 * Outcomes of branches (runs that continue another run with changed settings). `numOpen` is the number of unfinished
 * branches, which are omitted.
 */
export type RescueAnswer = RescueReport & { runs: RescueRun[]; numOpen: number; leftOut: LeftOut | null };

export async function readRescueOfRun(database: Database, runId: string) {
  const [answer, precedents] = await Promise.all([
    readRescue(database, { runId }),
    readPrecedents(database.pool, runId),
  ]);
  const sweepIds = [...new Set(precedents.map(({ sweepId }) => sweepId))];
  return { ...answer, similar: sweepIds.length > 0 ? { text: citePrecedents(precedents), sweepIds } : null };
}

type Scope = { runId: string } | { sweepIds: readonly string[] };

export async function readRescue(database: Database, scope: Scope, equal?: EqualChoice): Promise<RescueAnswer> {
  const all = await readBranches(database, scope);
  const ended = all.flatMap((branch) => {
    const origin = originOf(branch.spec);
    return origin && isOver(branch.status) ? [{ ...branch, origin }] : [];
  });
  const endedIds = ended.map(({ id }) => id);
  const { isLeftOut, leftOut } = await findLeftOut(database.pool, endedIds, { dependent: "added", equal });
  const branches = ended.filter(({ id }) => !isLeftOut(id));
  const runIds = branches.map(({ id }) => id);
  const originIds = [...new Set(branches.map(({ origin }) => origin.run))];
  const [facts, undetected, series] = await Promise.all([
    readStabilityFacts(database.pool, { runIds: [...runIds, ...originIds] }),
    readUndetected(database.pool, maxAwaited),
    readSeries(database.pool, { runIds, keys: [success, duration] }),
  ]);
  const factsOf = new Map(facts.map((one) => [one.runId, one]));
  const awaited = new Set(undetected);
  const notYet = toOutcome(null, true);
  // An origin that still trains has no label, and need not have one.
  const originLabelOf = (id: string) => {
    const known = factsOf.get(id)?.hindsight;
    return awaited.has(id) ? notYet : known?.word === "not judged yet" ? undefined : known;
  };
  const curvesOf = (key: string) =>
    new Map(series.filter((one) => one.key === key).map((one) => [one.runId, one] as const));
  const [curveOf, timesOf] = [curvesOf(success), curvesOf(duration)];
  const methodOf = new Map(
    [...groupBy(branches, ({ sweepId }) => sweepId)].map(([id, own]) => [id, own.find(hasSameMethod)?.method]),
  );
  const runs = branches.map(({ id, sweepId, seed, method, spec, latestIteration, origin }): RescueRun => {
    const hindsight = awaited.has(id) ? notYet : (factsOf.get(id)?.hindsight ?? toOutcome(null, false));
    const alarm = factsOf.get(origin.run)?.alarm.iteration ?? null;
    const curve = curveOf.get(id);
    const originMethod = methodOf.get(sweepId);
    return {
      runId: id,
      origin: origin.run,
      iteration: origin.iteration,
      lead: alarm === null ? null : alarm - origin.iteration,
      group: [originMethod ?? "", titleEnvironment(origin)].filter(Boolean).join(", "),
      arm: nameArm(spec, { method, origin: origin.spec, originMethod }),
      continuation: seed,
      outcome: judgeBranch(hindsight, originLabelOf(origin.run), origin.iteration),
      hindsight: hindsight.word,
      time: Math.max(0, (hindsight.iteration ?? latestIteration) - origin.iteration),
      success: curve ? finalWindow(curve).value : NaN,
      numIterations: Math.max(0, latestIteration - origin.iteration),
      numWhole: spendingOf(origin.spec).iterations,
      ms: timesOf.get(id)?.values.reduce((sum, time) => sum + time, 0) ?? NaN,
    };
  });
  const report = reportRescue(runs);
  return {
    ...report,
    notes: [...report.notes, ...(leftOut?.equal ?? [])],
    runs,
    numOpen: all.length - ended.length,
    leftOut,
  };
}

function hasSameMethod({ spec, origin }: { spec: { method: unknown }; origin: Origin }): boolean {
  return canonicalJson(spec.method) === canonicalJson(origin.spec.method);
}

function titleEnvironment({ spec: { environment } }: Origin): string {
  return titleOfEnvironment(nameOfEnvironment(environment));
}
