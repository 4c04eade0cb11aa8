import { titleOfEnvironment } from "#trainer/spec/environmentTexts.ts";
import type { Database } from "#server/db/storage/client.ts";
import { readDetections, type DetectionRow } from "#server/db/analysis/detections.ts";
import { readCells, readCellSpecs, readRuns, type CellRow, type RunOrder, type RunRow } from "#server/db/runs/runs.ts";
import { dimensionFactors, factorLevels } from "#server/domain/plan/sweep/factorLevels.ts";
import { pointOf, type StoredSpec } from "#server/domain/plan/sweep/storedSpec.ts";
import type { Grouping } from "#server/domain/analysis/stability/grouping.ts";
import { isCollapse } from "#packages/detector";
import type { Duration } from "#packages/statistics";
import { titleOfLabel } from "#server/domain/plan/sweep/labelTitles.ts";
import { titleOfLevel } from "#server/domain/plan/sweep/dimensionTexts.ts";

/** A run with its cell and its stored result of the detector. */
export type WatchedRun = { run: RunRow; cell: CellRow; detection: DetectionRow | undefined };

/** A run as in `WatchedRun` with its whole configuration, which takes a while to parse for thousands of runs. */
export type StudyRun = WatchedRun & { spec: StoredSpec };

/** Reads all runs of some sweeps, in order of sweeps, cells and seeds. */
export async function readWatchedRuns(
  database: Database,
  sweepIds: readonly string[],
  order?: RunOrder,
): Promise<WatchedRun[]> {
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

export async function readStudyRuns(
  database: Database,
  sweepIds: readonly string[],
  order?: RunOrder,
): Promise<StudyRun[]> {
  const [runs, specs] = await Promise.all([
    readWatchedRuns(database, sweepIds, order),
    readCellSpecs(database, sweepIds),
  ]);
  return runs.flatMap((one) => {
    const spec = specs.get(one.cell.id)?.spec;
    return spec ? [{ ...one, spec }] : [];
  });
}

/**
 * Returns the group to which a run belongs; undefined if unknown, as for imported runs whose method no user has
 * entered.
 */
export function groupOf({ cell, spec }: WatchedRun & { spec?: StoredSpec }, by: Grouping): string | undefined {
  switch (by) {
    case "method":
      return cell.method;
    case "configuration":
      return cell.label === "" ? cell.method : `${cell.method} · ${cell.label}`;
    case "environment":
      return cell.environment;
    case "aggregation":
    case "clipping":
    case "advantage":
    case "sampling":
      return levelOf(spec, by);
  }
}

/** Returns the display title of a group of runs, such as "GRPO · lag 16". */
export function titleOfGroup(group: string, by: Grouping): string {
  if (by === "environment") return titleOfEnvironment(group);
  const dimension = dimensionFactors.find((factor) => factor === by);
  if (dimension) return titleOfLevel(dimension, group);
  const [method = "", label] = group.split(" · ");
  return by === "configuration" && label !== undefined ? `${method} · ${titleOfLabel(label)}` : group;
}

/** Names the configuration of a run, including the environment if there are several environments. */
export function settingOf(one: WatchedRun, { isOfSeveral }: { isOfSeveral: boolean }): string {
  const { method, label } = one.cell;
  const configuration = label === "" ? method : `${method} · ${titleOfLabel(label)}`;
  return isOfSeveral ? `${one.cell.environment}: ${configuration}` : configuration;
}

function levelOf(spec: StoredSpec | undefined, by: (typeof dimensionFactors)[number]): string | undefined {
  const point = spec && pointOf(spec);
  return point && factorLevels(point)[by];
}

/** True if the groups are environments or configurations, which cannot be compared at equal settings. */
export function isOfOneSetting(by: Grouping): boolean {
  return by === "environment" || by === "configuration";
}

/** True if the grouping requires the run's whole configuration. */
export function needsSpec(by: Grouping): boolean {
  return dimensionFactors.some((factor) => factor === by);
}

/**
 * Returns the iterations for which a run was observed, up to its collapse if it collapsed. Undefined if no metric was
 * logged that the rules read, or if success was measured too rarely.
 */
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
