import { titleOfEnvironment } from "#trainer/spec/environmentTexts.ts";
import type { Database } from "#server/db/client.ts";
import { readDetections, type DetectionRow } from "#server/db/detections.ts";
import { readCells, readCellSpecs, readRuns, type CellRow, type RunOrder, type RunRow } from "#server/db/runs.ts";
import { dimensionFactors, factorLevels } from "#server/domain/effects/factorLevels.ts";
import { pointOf, type StoredSpec } from "#server/domain/import/storedSpec.ts";
import type { Grouping } from "#server/domain/stability/report/grouping.ts";
import { isCollapse } from "#server/domain/stability/label/label.ts";
import type { Duration } from "#server/domain/statistics/survival.ts";
import { titleOfLabel } from "#server/domain/sweep/labelTitles.ts";
import { titleOfLevel } from "#server/domain/sweep/levelTitles.ts";

/** A run with its cell and where it stands by the detector. */
export type WatchedRun = { run: RunRow; cell: CellRow; detection: DetectionRow | undefined };

/** With its whole configuration too, which takes a while to check where there are thousands. */
export type StudyRun = WatchedRun & { spec: StoredSpec };

/** All runs of some sweeps, in the order of their sweeps, cells and seeds. */
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

/** The group of a run; undefined where nothing is known: of another trainer's run the four dimensions are not, unless a person stated them. */
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

/** A group of `groupOf` as a page calls it: "GRPO · lag 16". */
export function titleOfGroup(group: string, by: Grouping): string {
  if (by === "environment") return titleOfEnvironment(group);
  const dimension = dimensionFactors.find((factor) => factor === by);
  if (dimension) return titleOfLevel(dimension, group);
  const [method = "", label] = group.split(" · ");
  return by === "configuration" && label !== undefined ? `${method} · ${titleOfLabel(label)}` : group;
}

/** A run's configuration, with its environment where there are several. */
export function settingOf(one: WatchedRun, { isOfSeveral }: { isOfSeveral: boolean }): string {
  const { method, label } = one.cell;
  const configuration = label === "" ? method : `${method} · ${titleOfLabel(label)}`;
  return isOfSeveral ? `${one.cell.environment}: ${configuration}` : configuration;
}

function levelOf(spec: StoredSpec | undefined, by: (typeof dimensionFactors)[number]): string | undefined {
  const point = spec && pointOf(spec);
  return point && factorLevels(point)[by];
}

/** Whether a group is of one task and settings by itself: then there are none within which it is compared. */
export function isOfOneSetting(by: Grouping): boolean {
  return by === "environment" || by === "configuration";
}

/** Whether telling the group takes the run's configuration. */
export function needsSpec(by: Grouping): boolean {
  return dimensionFactors.some((factor) => factor === by);
}

/** How long a run was watched without collapse; undefined where nothing was logged that tells. */
export function durationOf({ detection }: WatchedRun): Duration | undefined {
  if (!detection || detection.numSteps === 0) return undefined;
  const label = detection.hindsight?.label;
  // Nobody measured whether it fell.
  if (label?.kind === "notJudged") return undefined;
  if (label && isCollapse(label)) return { time: label.collapseStep ?? detection.iteration, isEvent: true };
  return { time: detection.iteration, isEvent: false };
}

/** Hours of a slot; null before it began. */
export function hoursOf({ run: { startedAt, endedAt } }: WatchedRun, nowMs: number): number | null {
  return startedAt === null ? null : ((endedAt?.getTime() ?? nowMs) - startedAt.getTime()) / 3_600_000;
}
