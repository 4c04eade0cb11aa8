import { AppError, badInput } from "#packages/base";
import { checkPoint, type Point } from "#server/domain/plan/search/space.ts";
import { listConfigurations } from "#server/domain/plan/sweep/expand/expand.ts";
import { countFirstSeeds } from "#server/domain/plan/search/searchPlan.ts";
import { makeTrialCell, searchOf } from "#server/domain/plan/sweep/expand/searchTrials.ts";
import type { Pooled } from "../storage/client.ts";
import { inTransaction } from "../storage/inTransaction.ts";
import { notifySweep } from "./planned.ts";
import { insertTrials } from "./searches.ts";
import { lockSearch, readLimitsOf, readProgress } from "./searchLimits.ts";

/** Trial that an external optimizer proposes. `configuration`: index of the searched method and environment. */
export type AskedTrial = { configuration: number; point: Point; reason: string };

/** Returns the trial's number. Throws if the search samples itself, a configuration is unknown or full, or a point invalid. */
export async function addTrial({ pool }: Pooled, sweepId: string, asked: AskedTrial): Promise<number> {
  return inTransaction(pool, async (client) => {
    const { plan, search } = await lockSearch(client, sweepId);
    if (search.sampler.kind !== "external") {
      throw new AppError(
        "conflict",
        `this search samples its own trials (sampler ${search.sampler.kind}); only a search with an external sampler accepts trials`,
      );
    }
    const cells = listConfigurations(plan);
    const cell = cells[asked.configuration];
    const progress = (await readProgress(client, sweepId)).find(({ arm }) => arm === asked.configuration);
    if (!cell || !progress) {
      throw badInput([
        {
          path: "configuration",
          message: `is ${asked.configuration}, must be 0 to ${cells.length - 1} in this search`,
        },
      ]);
    }
    const most = progress.limit ?? search.trials;
    if (progress.begun >= most)
      throw new AppError(
        "conflict",
        `this configuration already has ${progress.begun} of ${most} trials: raise the number of trials first`,
      );
    const { space } = searchOf(search, cell, await readLimitsOf(client, sweepId, asked.configuration));
    const issues = checkPoint(space, asked.point);
    if (issues.length > 0) throw badInput(issues.map(({ path, message }) => ({ path: `point.${path}`, message })));
    const number = progress.begun;
    const made = makeTrialCell({ space }, cell, { number, point: asked.point });
    if ("problem" in made) throw badInput([{ path: "point", message: made.problem }]);
    const { rows } = await client.query<{ number: number; isOver: boolean }>(
      `SELECT number, outcome IS NOT NULL AS "isOver" FROM decision WHERE sweep_id = $1 AND arm = $2 ORDER BY number`,
      [sweepId, asked.configuration],
    );
    const numbersOf = (isOver: boolean) => rows.flatMap((row) => (row.isOver === isOver ? [row.number] : []));
    const decision = {
      arm: asked.configuration,
      number,
      step: progress.latest + 1,
      known: numbersOf(true),
      running: numbersOf(false),
      point: asked.point,
      reason: asked.reason,
      cell: made,
    };
    const seeds = plan.seeds.slice(0, countFirstSeeds(search, plan.seeds.length));
    await insertTrials(client, sweepId, { decisions: [decision], seeds });
    await notifySweep(client, sweepId);
    return number;
  });
}
