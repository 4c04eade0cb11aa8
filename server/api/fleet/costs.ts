import { readMeasured, readOpenWork, readPlannedRuns, readUses } from "#server/db/fleet/costs.ts";
import type { Database } from "#server/db/storage/client.ts";
import { readNodes } from "#server/db/fleet/nodes.ts";
import { calibrate } from "#server/domain/fleet/cost/account.ts";
import { type Costs, summariseCosts } from "#server/domain/fleet/cost/costs.ts";
import type { CostGroup } from "#server/domain/fleet/cost/format.ts";
import { readLaunchedSizes } from "#server/engine/models/modelReader.ts";
import { estimatePace, type ModelSizes, type PlannedPace } from "#server/domain/plan/sweep/estimate/estimate.ts";
import type { Calibration } from "#server/domain/plan/sweep/estimate/calibration.ts";

const dayMs = 86_400_000;

type ReadSizes = typeof readLaunchedSizes;
type Asked = {
  database: Database;
  by: CostGroup;
  days: number | null;
  /** Reads model sizes; the command line reads them in its own process. */
  readSizes?: ReadSizes;
};

/** Returns used, lost and remaining cost of runs, by group. `days`: maximum age of counted attempts; null: any. */
export async function makeCosts(
  { database, by, days, readSizes = readLaunchedSizes }: Asked,
  now: Date,
): Promise<Costs> {
  const since = days === null ? new Date(0) : new Date(now.getTime() - days * dayMs);
  const [uses, open, { calibrations, models, prices }] = await Promise.all([
    readUses(database.pool, since),
    readOpenWork(database.pool),
    readEstimateBasis(database, readSizes),
  ]);
  const commonPrice = prices !== null && prices.low === prices.high ? prices.low : null;
  return summariseCosts(
    { uses, open, calibrations, models: { ...models, ...(await readSizes(open)) }, commonPrice },
    by,
  );
}

/** Minimum and maximum price of an hour of one slot (which holds one attempt) on the configured nodes. */
export type Prices = { low: number; high: number };
/** Data for a cost estimate. `prices`: null if a configured node has none. */
export type EstimateBasis = { calibrations: Calibration[]; models: ModelSizes; prices: Prices | null };

export async function readEstimateBasis(
  database: Database,
  readSizes: ReadSizes = readLaunchedSizes,
): Promise<EstimateBasis> {
  const [measured, nodes] = await Promise.all([readMeasured(database.pool), readNodes(database)]);
  const known = nodes.flatMap(({ node, isConfigured }) => (isConfigured ? [node.pricePerSlotHour] : []));
  const numbers = known.filter((price) => price !== undefined);
  const isWhole = numbers.length > 0 && numbers.length === known.length;
  const prices = isWhole ? { low: Math.min(...numbers), high: Math.max(...numbers) } : null;
  const models = await readSizes(measured);
  return { calibrations: calibrate(measured, models), models, prices };
}

/** Estimates a sweep's time done and left from its plan; null if the speed of its trainer or model is unknown. */
export async function readPlannedPace(database: Database, sweepId: string): Promise<PlannedPace | null> {
  const runs = await readPlannedRuns(database.pool, sweepId);
  if (runs.some(({ spec }) => spec.trainer !== undefined)) return null;
  const { calibrations } = await readEstimateBasis(database);
  const pace = estimatePace(runs, { calibrations, models: await readLaunchedSizes(runs) });
  return Number.isNaN(pace.leftMs) ? null : pace;
}
