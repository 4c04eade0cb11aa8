import { spendingOf } from "#trainer/spec/budget.ts";
import { elsewhereOf } from "#trainer/spec/elsewhere.ts";
import { mean } from "#packages/statistics";
import type { Database } from "#server/db/storage/client.ts";
import { readSeries } from "#server/db/runs/points.ts";
import { findDependentSweeps } from "#server/db/runs/dependentRuns.ts";
import { readRuns } from "#server/db/runs/runs.ts";
import { listSweeps } from "#server/db/plan/sweeps.ts";
import {
  type Answering,
  evaluateFindings,
  type Finding,
  listAnswering,
} from "#server/domain/analysis/claims/findings.ts";
import { findStaleable } from "#server/domain/analysis/claims/extremes.ts";
import { summariseClaims, toClaimsTable } from "#server/domain/analysis/claims/claimsTable.ts";
import {
  standardiseRuns,
  isStatement,
  type StudiedRun,
  toStudiedCsv,
} from "#server/domain/analysis/claims/studiedRun.ts";
import { countOver } from "#server/domain/runs/progress.ts";
import { endsOf } from "#server/domain/analysis/transfer.ts";
import { tellProgress } from "../progress.ts";
import { type Answer, proveAnswer } from "./proofs.ts";
import { readStudied, type Study, type Unstudied } from "./effects.ts";

export type FindingsAnswer = Unstudied & Answer & { findings: Finding[]; numRuns: number; isStandardised: boolean };

export async function readFindings(database: Database, study: Study): Promise<FindingsAnswer> {
  const { runs: studied, statuses, ...left } = await readStudied(database, study);
  tellProgress("Testing claims");
  const runs = await addElsewhere(database, await countSteps(database, studied));
  const isStandardised = new Set(runs.map(({ environment }) => environment)).size > 1;
  const findings = evaluateFindings(isStandardised ? standardiseRuns(runs) : runs);
  const { sweepIds, metric, order } = study;
  const table = await proveAnswer(
    database,
    { kind: "claims", sweepIds, metric },
    {
      table: toClaimsTable(findings),
      statuses,
      order,
      leftOut: left.leftOut,
    },
  );
  return {
    sentence: summariseClaims(findings),
    findings,
    numRuns: runs.length,
    isStandardised,
    ...left,
    table,
    longCsv: toStudiedCsv(runs),
  };
}

/** Maximum number of runs that are analysed together; with more runs, other pages would have to wait. */
const maxTogether = 300;
const maxSweeps = 20;

/** Returns the claims that the chosen sweeps decide only together with the newest other sweeps (up to the limits). */
export async function readAnswering(database: Database, { sweepIds, ...study }: Study): Promise<Answering[]> {
  const all = await listSweeps(database);
  const dependent = await findDependentSweeps(
    database.pool,
    all.map(({ id }) => id),
  );
  // Claims of branches are about these branches only; other sweeps cannot decide them.
  if (sweepIds.every((id) => dependent.has(id))) return [];
  const others: string[] = [];
  let numRuns = all.reduce((sum, one) => sum + (sweepIds.includes(one.id) ? one.numRuns : 0), 0);
  for (const { id, isArchived, counts, numRuns: more } of all) {
    // A sweep that is still training or being imported would contribute only part of its runs.
    if (isArchived || countOver(counts) < more || sweepIds.includes(id) || dependent.has(id)) continue;
    if (numRuns + more > maxTogether) continue;
    if (others.length + sweepIds.length === maxSweeps) break;
    others.push(id);
    numRuns += more;
  }
  if (others.length === 0) return [];
  const chosen = [...sweepIds, ...others];
  const [alone, together, runs] = [
    await readFindings(database, { sweepIds, ...study }),
    await readFindings(database, { sweepIds: chosen, ...study }),
    await readRuns(database, { sweepIds: chosen }),
  ];
  const sweepOf = new Map(runs.map((run) => [run.id, run.sweepId]));
  return listAnswering({ alone: alone.findings, together: together.findings }, sweepOf, sweepIds);
}

/** Adds to each run its success rates in environments other than its own, if its plan evaluates there. */
async function addElsewhere({ pool }: Database, runs: readonly StudiedRun[]): Promise<StudiedRun[]> {
  const keyOf = (name: string): string => `evaluation/elsewhere/${name}/successRate`;
  const namesOf = ({ settings }: StudiedRun) => (isStatement(settings) ? [] : elsewhereOf(settings));
  const keys = [...new Set(runs.flatMap(namesOf).map(({ name }) => keyOf(name)))];
  if (keys.length === 0) return [...runs];
  const curves = await readSeries(pool, { runIds: runs.map(({ runId }) => runId), keys });
  const curveOf = new Map(curves.map((curve) => [`${curve.runId} ${curve.key}`, curve]));
  return runs.map((run) => {
    const { settings } = run;
    if (isStatement(settings)) return run;
    const { iterations } = spendingOf(settings);
    const values = namesOf(run).map(({ name }) => {
      return [name, endsOf(curveOf.get(`${run.runId} ${keyOf(name)}`), iterations)] as const;
    });
    return values.length === 0 ? run : { ...run, elsewhere: new Map(values) };
  });
}

/** Adds to each run its mean number of optimizer steps per iteration; NaN if its staleness cannot be compared. */
async function countSteps({ pool }: Database, runs: readonly StudiedRun[]): Promise<StudiedRun[]> {
  const runIds = findStaleable(runs).map(({ runId }) => runId);
  const curves = runIds.length === 0 ? [] : await readSeries(pool, { runIds, keys: ["update/numSteps"] });
  const steps = new Map(curves.map(({ runId, values }) => [runId, mean(Array.from(values).filter(Number.isFinite))]));
  return runs.map((run) => ({ ...run, numSteps: steps.get(run.runId) ?? NaN }));
}
