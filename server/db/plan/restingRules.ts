import { AppError } from "#packages/base";
import { isDrawnElsewhere } from "#server/domain/plan/search/decide.ts";
import { limitAt } from "#server/domain/plan/search/schedule.ts";
import type { SweepPlan } from "#server/domain/plan/sweep/schema.ts";
import { describeSpent } from "#server/domain/plan/search/searchPlan.ts";
import type { Pool } from "../storage/client.ts";
import { inTransaction, withClient } from "../storage/inTransaction.ts";
import { notifySweep } from "./planned.ts";
import { readProgress, readSearchLimits } from "./searchLimits.ts";
import { readSearchUse } from "./searches.ts";
import { restReason } from "./searchRecords.ts";

/** Counts the trials that an imported search may still begin, and their runs. */
export async function readRestingTrials(pool: Pool, sweepId: string, { search, seeds }: SweepPlan) {
  const none = { numTrials: 0, numTrialRuns: 0 };
  if (!search || describeSpent(search, await readSearchUse(pool, sweepId)) !== undefined) return none;
  const limits = (await readSearchLimits(pool, sweepId)).filter(({ reason }) => !reason.startsWith(restReason));
  const progress = await withClient(pool, (client) => readProgress(client, sweepId));
  const numTrials = progress.reduce((sum, { arm, begun }) => {
    if (isDrawnElsewhere(search, begun)) return sum;
    const most = limitAt(
      search.trials,
      limits.filter((limit) => limit.arm === arm),
    );
    return sum + Math.max(0, most - begun);
  }, 0);
  return { numTrials, numTrialRuns: numTrials * seeds.length };
}

/** Ends the rest of an imported sweep's rules: they act as in a sweep launched here. Throws `conflict` if none rest. */
export async function wakeRules(pool: Pool, sweepId: string): Promise<void> {
  await inTransaction(pool, async (client) => {
    const { rowCount } = await client.query(
      "UPDATE sweep SET imported_at = NULL WHERE id = $1 AND imported_at IS NOT NULL AND origin = 'plan'",
      [sweepId],
    );
    if (rowCount !== 1) throw new AppError("conflict", `the rules of sweep ${sweepId} act already`);
    await client.query("DELETE FROM search_limit WHERE sweep_id = $1 AND starts_with(reason, $2)", [
      sweepId,
      restReason,
    ]);
    await notifySweep(client, sweepId);
  });
}
