import type { Database } from "#server/db/storage/client.ts";
import { readDetections } from "#server/db/analysis/detections.ts";
import { countNumericVaried } from "#server/domain/analysis/phases/chooseColumns.ts";
import { isCollapse } from "#packages/detector";
import { listVaried } from "./phases.ts";
import { readRunStudy } from "./runStudy.ts";

/** Optional analyses for which the chosen sweeps have enough runs. */
export type Offers = {
  /** Number of runs that collapsed in hindsight. */
  numCollapsed: number;
  /** Number of numeric settings that vary independently: a phase diagram needs two. */
  numNumericVaried: number;
};

export async function readOffers(database: Database, sweepIds: readonly string[]): Promise<Offers> {
  const [detections, { parameters, runs }] = await Promise.all([
    readDetections(database.pool, sweepIds),
    readRunStudy(database, { scope: { sweepIds: [...sweepIds] }, columns: [] }),
  ]);
  return {
    numCollapsed: detections.filter(({ hindsight }) => hindsight && isCollapse(hindsight.label)).length,
    numNumericVaried: countNumericVaried(listVaried({ parameters, runs })),
  };
}
