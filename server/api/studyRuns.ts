import type { Database } from "../db/client.ts";
import { readDetections, type DetectionRow } from "../db/detections.ts";
import { readCells, readCellSpecs, readRuns, type CellRow, type RunRow } from "../db/runs.ts";
import { dimensionFactors, factorLevels } from "../domain/dimensions/factorLevels.ts";
import { isImported, type StoredSpec } from "../domain/import/storedSpec.ts";
import { isCollapse } from "../domain/stability/label.ts";
import type { Duration } from "../domain/statistics/survival.ts";

/** A run with its configuration and where it stands by the detector. */
export type StudyRun = {
  run: RunRow;
  cell: CellRow;
  spec: StoredSpec;
  detection: DetectionRow | undefined;
};

/** All runs of some sweeps, in the order of their cells and seeds. */
export async function readStudyRuns(database: Database, sweepIds: readonly string[]): Promise<StudyRun[]> {
  const [cells, specs, runs, detections] = await Promise.all([
    readCells(database, { sweepIds }),
    readCellSpecs(database, sweepIds),
    readRuns(database, { sweepIds }),
    readDetections(database.pool, sweepIds),
  ]);
  const cellOf = new Map(cells.map((cell) => [cell.id, cell]));
  const detectionOf = new Map(detections.map((detection) => [detection.runId, detection]));
  return runs.flatMap((run) => {
    const cell = cellOf.get(run.cellId);
    const spec = specs.get(run.cellId)?.spec;
    return cell && spec ? [{ run, cell, spec, detection: detectionOf.get(run.id) }] : [];
  });
}

export const groupings = ["method", "configuration", "environment", ...dimensionFactors] as const;
export type Grouping = (typeof groupings)[number];

/** The group of a run; undefined where nothing is known: of another trainer's run the four dimensions are not. */
export function groupOf({ cell, spec }: StudyRun, by: Grouping): string | undefined {
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
      return isImported(spec) ? undefined : factorLevels(spec.method)[by];
  }
}

/** How long a run was watched without collapse; undefined where nothing was logged that tells. */
export function durationOf({ detection }: StudyRun): Duration | undefined {
  if (!detection || detection.numSteps === 0) return undefined;
  const label = detection.hindsight?.label;
  if (label && isCollapse(label)) return { time: label.collapseStep ?? detection.iteration, isEvent: true };
  return { time: detection.iteration, isEvent: false };
}

/** Hours of a slot; null before it began. */
export function hoursOf({ run: { startedAt, endedAt } }: StudyRun, nowMs: number): number | null {
  return startedAt === null ? null : ((endedAt?.getTime() ?? nowMs) - startedAt.getTime()) / 3_600_000;
}
