import { titleOfEnvironment } from "#trainer/spec/environmentTexts.ts";
import type { Database } from "#server/db/storage/client.ts";
import { readDetections, type DetectionRow } from "#server/db/analysis/detections.ts";
import { readCells, readCellSpecs, readRuns, type CellRow, type RunOrder, type RunRow } from "#server/db/runs/runs.ts";
import { dimensionFactors, factorLevels } from "#server/domain/plan/sweep/methods/factorLevels.ts";
import { pointOf, type StoredSpec } from "#server/domain/plan/sweep/stored/storedSpec.ts";
import { findLeftOut } from "#server/db/runs/dependentRuns.ts";
import type { DependentChoice, EqualChoice, LeftOut } from "#server/domain/plan/sweep/dependence.ts";
import type { Grouping } from "#server/domain/analysis/stability/grouping.ts";
import { isCollapse } from "#packages/detector";
import type { Duration } from "#packages/statistics";
import { titleOfLabel } from "#server/domain/plan/sweep/labels/labelTitles.ts";
import { titleOfLevel } from "#server/domain/plan/sweep/methods/dimensionTexts.ts";

export type WatchedRun = { run: RunRow; cell: CellRow; detection: DetectionRow | undefined };

/** A run as in `WatchedRun` with its whole configuration, which takes a while to parse for thousands of runs. */
export type StudyRun = WatchedRun & { spec: StoredSpec };

/**
 * Sweeps whose runs are read, and the order of the runs (if absent, by content). `code`: version of an older table that
 * is computed as before.
 */
export type Scoped = {
  sweepIds: readonly string[];
  order?: RunOrder | undefined;
  code?: string;
  equal?: EqualChoice | undefined;
};

/** Sweeps whose methods are analysed. Branches, starts and search trials are left out unless the user adds them. */
export type ScopedMethods = Scoped & { dependent?: DependentChoice | undefined };

/** Removes the runs that an analysis does not count. */
export async function keepCounted<One extends WatchedRun>(
  { pool }: Database,
  chosen: readonly One[],
  counting: Pick<ScopedMethods, "dependent" | "equal">,
): Promise<{ all: One[]; leftOut: LeftOut | null }> {
  const runIds = chosen.map(({ run }) => run.id);
  const { isLeftOut, leftOut } = await findLeftOut(pool, runIds, counting);
  return { all: chosen.filter(({ run }) => !isLeftOut(run.id)), leftOut };
}

export async function readWatchedRuns(database: Database, { sweepIds, order }: Scoped): Promise<WatchedRun[]> {
  const [cells, runs, detections] = await Promise.all([
    readCells(database, { sweepIds }, order),
    readRuns(database, { sweepIds }, order),
    readDetections(database.pool, sweepIds),
  ]);
  const cellOf = new Map(cells.map((cell) => [cell.id, cell]));
  const detectionOf = new Map(detections.map((detection) => [detection.runId, detection]));
  return runs.flatMap((run) => {
    const cell = cellOf.get(run.cellId);
    return cell ? [{ run, cell, detection: detectionOf.get(run.id) }] : [];
  });
}

export async function readStudyRuns(database: Database, asked: Scoped): Promise<StudyRun[]> {
  const [runs, specs] = await Promise.all([readWatchedRuns(database, asked), readCellSpecs(database, asked.sweepIds)]);
  return runs.flatMap((one) => {
    const spec = specs.get(one.cell.id)?.spec;
    return spec ? [{ ...one, spec }] : [];
  });
}

/** Returns the group to which a run belongs; undefined for an imported run whose method no user has entered. */
export function groupOf({ cell, spec }: WatchedRun & { spec?: StoredSpec }, by: Grouping): string | undefined {
  if (by === "method" || by === "environment") return cell[by];
  if (by === "configuration") return cell.label === "" ? cell.method : `${cell.method} · ${cell.label}`;
  const point = spec && pointOf(spec);
  return point && factorLevels(point)[by];
}

export function titleOfGroup(group: string, by: Grouping): string {
  if (by === "environment") return titleOfEnvironment(group);
  const dimension = dimensionFactors.find((factor) => factor === by);
  if (dimension) return titleOfLevel(dimension, group);
  const [method = "", label] = group.split(" · ");
  return by === "configuration" && label !== undefined ? `${method} · ${titleOfLabel(label)}` : group;
}

export function settingOf(one: WatchedRun, { isOfSeveral }: { isOfSeveral: boolean }): string {
  const { method, label } = one.cell;
  const configuration = label === "" ? method : `${method} · ${titleOfLabel(label)}`;
  return isOfSeveral ? `${one.cell.environment}: ${configuration}` : configuration;
}

/** True if the groups are environments or configurations, which cannot be compared at equal settings. */
export function isOfOneSetting(by: Grouping): boolean {
  return by === "environment" || by === "configuration";
}

export function needsSpec(by: Grouping): boolean {
  return dimensionFactors.some((factor) => factor === by);
}

/** Returns the observed iterations, up to a collapse. Undefined if the rules read no metric, or success too rarely. */
export function durationOf({ detection }: WatchedRun): Duration | undefined {
  if (!detection || detection.numSteps === 0) return undefined;
  const label = detection.hindsight?.label;
  if (label?.kind === "notJudged") return undefined;
  if (label && isCollapse(label)) return { time: label.collapseStep ?? detection.iteration, isEvent: true };
  return { time: detection.iteration, isEvent: false };
}

/** Returns the hours since the run began, up to its end; null before the run began. */
export function hoursOf({ run: { startedAt, endedAt } }: WatchedRun, nowMs: number): number | null {
  return startedAt === null ? null : ((endedAt?.getTime() ?? nowMs) - startedAt.getTime()) / 3_600_000;
}
