import type { Database } from "#server/db/client.ts";
import { readDetections } from "#server/db/detections.ts";
import { toColumnValues } from "#server/domain/importance/column.ts";
import { isFewLevels, toPhaseAxis } from "#server/domain/phase/axis.ts";
import { isCollapse } from "#server/domain/stability/label/label.ts";
import { readRunStudy } from "./runStudy.ts";

/** What a page about sweeps can show of them that most have no runs for. */
export type Offers = {
  /** Runs that collapsed, in hindsight. */
  numCollapsed: number;
  /** Settings that are numbers and vary: a phase diagram needs two. */
  numNumericVaried: number;
};

export async function readOffers(database: Database, sweepIds: readonly string[]): Promise<Offers> {
  const [detections, { parameters, runs }] = await Promise.all([
    readDetections(database.pool, sweepIds),
    readRunStudy(database, { scope: { sweepIds: [...sweepIds] }, columns: [] }),
  ]);
  const isNumericVaried = ({ key, title }: { key: string; title: string }, i: number) => {
    const axis = toPhaseAxis({ key, title, values: toColumnValues(runs.map((run) => run.values[i])) });
    return axis !== undefined && isFewLevels(axis) && axis.coordinates !== undefined;
  };
  return {
    numCollapsed: detections.filter(({ hindsight }) => hindsight && isCollapse(hindsight.label)).length,
    numNumericVaried: parameters.filter(isNumericVaried).length,
  };
}
