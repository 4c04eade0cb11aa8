import type { Database } from "#server/db/storage/client.ts";
import { readSeries } from "#server/db/runs/points.ts";
import { reportEffects, type EffectsReport } from "#server/domain/analysis/effects/report.ts";
import { factorLevels } from "#server/domain/plan/sweep/methods/factorLevels.ts";
import { findPoint, untestedPoints } from "#server/domain/analysis/effects/nextCells.ts";
import { summariseEffects, toEffectsTable } from "#server/domain/analysis/effects/effectsTable.ts";
import { countOnce } from "#server/domain/analysis/claims/settings.ts";
import { type StudiedRun, toStudiedCsv } from "#server/domain/analysis/claims/studiedRun.ts";
import type { LeftOut } from "#server/domain/plan/sweep/dependence.ts";
import { isStated, pointOf, type StoredSpec } from "#server/domain/plan/sweep/stored/storedSpec.ts";
import { isImported } from "#server/domain/plan/sweep/stored/isImported.ts";
import { type Curve, finalWindow, mean } from "#packages/statistics";
import { isCollapse } from "#packages/detector";
import { isOver, type RunStatus } from "#server/domain/runs/runStatus.ts";
import type { Method } from "#trainer/spec/method.ts";
import { tellProgress } from "../progress.ts";
import { type Answer, proveAnswer } from "./proofs.ts";
import { keepCounted, readStudyRuns, type ScopedMethods } from "./studyRuns.ts";

export type Study = ScopedMethods & { metric: string };

/** Numbers of excluded runs, and, as `numStated`, of included runs whose method a user has entered. */
export type Unstudied = {
  numStated: number;
  numForeign: number;
  numOpen: number;
  /** Number of finished runs without a label in hindsight, such as runs cancelled before they logged a metric. */
  numSilent: number;
  /** Number of runs that are left out because an included run has the same configuration and seed. */
  numRepeated: number;
  leftOut: LeftOut | null;
};

export type EffectsAnswer = EffectsReport &
  Unstudied & {
    /** Method for each suggested cell in `next`, for a new sweep; null if no valid method has its levels. */
    points: (Method | null)[];
  } & Answer;

export async function readEffects(database: Database, study: Study): Promise<EffectsAnswer> {
  const { runs, statuses, ...left } = await readStudied(database, study);
  tellProgress("Fitting effects");
  const report = reportEffects(runs);
  const untested = untestedPoints(runs.map(({ point }) => point));
  const { sweepIds, metric } = study;
  const table = await proveAnswer(
    database,
    { kind: "dimensions", sweepIds, metric },
    {
      table: toEffectsTable(report, { metric, runs }),
      statuses,
      order: study.order,
      leftOut: left.leftOut,
    },
  );
  const points = report.next.map(({ levels }) => findPoint(untested, levels) ?? null);
  return { ...report, ...left, points, sentence: summariseEffects(report), table, longCsv: toStudiedCsv(runs) };
}

/** Returns the finished runs whose four dimensions are known, from a plan or because a user entered them. */
export async function readStudied(
  database: Database,
  { sweepIds, metric, order, ...counting }: Study,
): Promise<Unstudied & { runs: StudiedRun[]; statuses: ReadonlyMap<string, RunStatus> }> {
  const { all, leftOut } = await keepCounted(database, await readStudyRuns(database, { sweepIds, order }), counting);
  const labelled = all.filter(({ detection }) => detection?.hindsight);
  const runIds = labelled.map(({ run }) => run.id);
  const curves = new Map((await readSeries(database.pool, { runIds, keys: [metric] })).map((one) => [one.runId, one]));
  // All runs of a cell share one settings object, because results of comparisons are cached by that object.
  const settings = new Map<number, StudiedRun["settings"]>();
  const runs = labelled.flatMap(({ run, cell, spec, detection }): StudiedRun[] => {
    const method = pointOf(spec);
    if (method === undefined) return [];
    const curve = curves.get(run.id);
    const label = detection?.hindsight?.label;
    const cellSettings = settings.get(cell.id) ?? settingsOf(spec, cell.sweepId);
    settings.set(cell.id, cellSettings);
    const value = curve ? finalWindow(curve).value : NaN;
    return [
      {
        runId: run.id,
        seed: run.seed,
        cell: String(cell.id),
        method: cell.method,
        point: method,
        levels: factorLevels(method),
        environment: cell.environment,
        settings: cellSettings,
        numSteps: NaN,
        value,
        rawValue: value,
        early: curve ? firstThird(curve) : NaN,
        hasCollapsed: label !== undefined && isCollapse(label),
        ...(label?.kind === "ambiguous" && { isUnclear: true as const }),
        ...(label?.kind === "notJudged" && { isUnjudged: true as const }),
        ...(isStated(spec) && { isStated: true as const }),
      },
    ];
  });
  const rest = all.filter(({ detection }) => !detection?.hindsight);
  const numOpen = rest.filter(({ run }) => !isOver(run.status)).length;
  const once = countOnce(runs);
  return {
    runs: once,
    numOpen,
    numSilent: rest.length - numOpen,
    numStated: once.filter((run) => run.isStated).length,
    numForeign: labelled.length - runs.length,
    numRepeated: runs.length - once.length,
    leftOut,
    statuses: new Map(all.map(({ run }) => [run.id, run.status])),
  };
}

function settingsOf(spec: StoredSpec, sweepId: string): StudiedRun["settings"] {
  if (isImported(spec)) return { ...spec.stated?.settings, environment: spec.environment, importedAs: sweepId };
  const { method: _, execution: _how, ...rest } = spec;
  return rest;
}

function firstThird({ iterations, values }: Curve): number {
  const trained = Array.from(values).filter((x, i) => (iterations[i] ?? 0) > 0 && Number.isFinite(x));
  return mean(trained.slice(0, Math.max(1, Math.ceil(trained.length / 3))));
}
