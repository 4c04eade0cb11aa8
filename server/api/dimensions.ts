import type { Database } from "../db/client.ts";
import { readSeries } from "../db/points.ts";
import { reportDimensions, type DimensionsReport } from "../domain/dimensions/report.ts";
import { factorLevels } from "../domain/dimensions/factorLevels.ts";
import { findPoint, untestedPoints } from "../domain/dimensions/untestedPoints.ts";
import { evaluateFindings, type Finding } from "../domain/findings/findings.ts";
import type { StudiedRun } from "../domain/findings/studiedRun.ts";
import { isImported } from "../domain/import/storedSpec.ts";
import type { Curve } from "../domain/series/series.ts";
import { isCollapse } from "../domain/stability/label.ts";
import { standardiseRuns } from "../domain/findings/standardiseRuns.ts";
import { finalWindow } from "../domain/statistics/curve.ts";
import { mean } from "../domain/statistics/summary.ts";
import type { Method } from "#trainer/spec/method.ts";
import { readStudyRuns } from "./studyRuns.ts";

type Study = { sweepIds: readonly string[]; metric: string };

export type DimensionsAnswer = DimensionsReport & {
  numForeign: number;
  numOpen: number;
  /** The points to launch, beside `next`. */
  points: (Method | null)[];
};

export async function readDimensions(database: Database, study: Study): Promise<DimensionsAnswer> {
  const { runs, ...left } = await readStudied(database, study);
  const report = reportDimensions(runs);
  const untested = untestedPoints(runs.map(({ point }) => point));
  return { ...report, ...left, points: report.next.map(({ levels }) => findPoint(untested, levels) ?? null) };
}

export async function readFindings(
  database: Database,
  study: Study,
): Promise<{ findings: Finding[]; numRuns: number; numOpen: number; numForeign: number; isStandardised: boolean }> {
  const { runs, ...left } = await readStudied(database, study);
  const isStandardised = new Set(runs.map(({ environment }) => environment)).size > 1;
  return {
    findings: evaluateFindings(isStandardised ? standardiseRuns(runs) : runs),
    numRuns: runs.length,
    isStandardised,
    ...left,
  };
}

/** Finished runs of our own trainer: of others the four dimensions are not known, and of running ones the end. */
async function readStudied(database: Database, { sweepIds, metric }: Study) {
  const all = await readStudyRuns(database, sweepIds);
  const over = all.filter(({ detection }) => detection?.hindsight);
  const runIds = over.map(({ run }) => run.id);
  const curves = new Map((await readSeries(database.pool, { runIds, keys: [metric] })).map((one) => [one.runId, one]));
  const runs = over.flatMap(({ run, cell, spec, detection }): StudiedRun[] => {
    if (isImported(spec)) return [];
    const curve = curves.get(run.id);
    const label = detection?.hindsight?.label;
    return [
      {
        runId: run.id,
        seed: run.seed,
        cell: String(cell.id),
        method: cell.method,
        point: spec.method,
        levels: factorLevels(spec.method),
        environment: cell.environment,
        value: curve ? finalWindow(curve).value : NaN,
        early: curve ? firstThird(curve) : NaN,
        hasCollapsed: label !== undefined && isCollapse(label),
        staleness: spec.update.epochs / spec.update.minibatchRows,
      },
    ];
  });
  return { runs, numOpen: all.length - over.length, numForeign: over.length - runs.length };
}

function firstThird({ iterations, values }: Curve): number {
  const trained = Array.from(values).filter((x, i) => (iterations[i] ?? 0) > 0 && Number.isFinite(x));
  return mean(trained.slice(0, Math.max(1, Math.ceil(trained.length / 3))));
}
