import type { Pool, PoolClient } from "pg";
import { z } from "zod";
import { AppError, badInput } from "#packages/base";
import { countPoints } from "#server/domain/plan/search/decide.ts";
import { type Limit, spaceAt } from "#server/domain/plan/search/schedule.ts";
import { checkWider, orderParameters, Parameter, type Space } from "#server/domain/plan/search/space.ts";
import { listConfigurations } from "#server/domain/plan/sweep/expand/expand.ts";
import { SweepPlan } from "#server/domain/plan/sweep/schema.ts";
import { checkSearch } from "#server/domain/plan/sweep/expand/searchTrials.ts";
import type { Pooled } from "../storage/client.ts";
import { inTransaction } from "../storage/inTransaction.ts";
import { notifySweep } from "./planned.ts";
import { readRows } from "../storage/readRows.ts";

export type SearchLimit = Limit & { arm: number };

const Row = z.object({
  arm: z.int(),
  step: z.int(),
  kind: z.enum(["ended", "widened"]),
  trials: z.int(),
  space: z
    .record(z.string(), Parameter)
    .nullable()
    .transform((space) => (space === null ? undefined : orderParameters(space))),
  reason: z.string(),
});

/** Reads users' changes to a running search, by searched configuration, then oldest first. */
export async function readSearchLimits(pool: Pool | PoolClient, sweepId: string): Promise<SearchLimit[]> {
  return readRows(pool, Row, {
    sql: `SELECT arm, step, kind, trials, space, reason FROM search_limit WHERE sweep_id = $1 ORDER BY arm, step`,
    values: [sweepId],
  });
}

export async function readLimitsOf(client: PoolClient, sweepId: string, arm: number): Promise<SearchLimit[]> {
  return (await readSearchLimits(client, sweepId)).filter((limit) => limit.arm === arm);
}

/** Inserts changes to a search's number of trials or space; must be called in the transaction that causes them. */
export async function insertLimits(client: PoolClient, sweepId: string, limits: readonly SearchLimit[]): Promise<void> {
  for (const { arm, step, kind, trials, space, reason } of limits) {
    await client.query(
      "INSERT INTO search_limit (sweep_id, arm, step, kind, trials, space, reason) VALUES ($1, $2, $3, $4, $5, $6, $7)",
      [sweepId, arm, step, kind, trials, space ? JSON.stringify(space) : null, reason],
    );
  }
}

/** Maximum number of trials per searched configuration, as in a plan. */
export const maxTrials = 5000;

/** Sets each configuration's number of trials, even after a rule ended the search. Throws if the grid has too few points. */
export async function setTrials({ pool }: Pooled, sweepId: string, trials: number): Promise<void> {
  await inTransaction(pool, async (client) => {
    const { search } = await lockSearch(client, sweepId);
    const most = countPoints(search) + (search.defaultsFirst ? 1 : 0);
    if (trials > most)
      throw new AppError(
        "bad_input",
        `trials is ${trials}, must be at most ${most}, the number of points of this search's grid`,
      );
    const progress = await readProgress(client, sweepId);
    const limits = progress.flatMap(({ arm, begun, latest, limit }): SearchLimit[] => {
      const now = Math.max(begun, trials);
      if (now === (limit ?? search.trials)) return [];
      const kind = now > begun ? "widened" : "ended";
      return [{ arm, step: latest + 1, kind, trials: now, reason: `a person set ${trials} trials` }];
    });
    await insertLimits(client, sweepId, limits);
    await notifySweep(client, sweepId);
  });
}

/** Widens the space, so that all trials stay comparable. Throws for a grid search and for bounds that are not wider. */
export async function setSpace({ pool }: Pooled, sweepId: string, given: Space): Promise<void> {
  await inTransaction(pool, async (client) => {
    const { plan, search } = await lockSearch(client, sweepId);
    if (search.sampler.kind === "grid")
      throw new AppError("conflict", "a grid search tries its combinations in a fixed order: launch another search");
    const limits = await readSearchLimits(client, sweepId);
    const space = orderParameters(given);
    const now = spaceAt(search.space, limits);
    const narrower = checkWider(now, space).map(({ path, message }) => ({ path: `space.${path}`, message }));
    if (narrower.length > 0) throw badInput(narrower);
    const refused = checkSearch({ ...plan, search: { ...search, space } }, listConfigurations(plan));
    if (refused.length > 0) throw badInput(refused);
    const progress = await readProgress(client, sweepId);
    const wider = progress.map(({ arm, latest, limit }): SearchLimit => {
      const trials = limit ?? search.trials;
      return { arm, step: latest + 1, kind: "widened", trials, space, reason: "a person widened the space" };
    });
    await insertLimits(client, sweepId, wider);
    await notifySweep(client, sweepId);
  });
}

/** Reads, for each searched configuration: number of trials begun, step of the latest event, and the user's limit of trials. */
export async function readProgress(client: PoolClient, sweepId: string) {
  const { rows } = await client.query<{ arm: number; begun: number; latest: number; limit: number | null }>(
    `SELECT arm, count(*)::int AS begun,
       greatest(max(step), max(outcome_step),
         (SELECT max(greatest(step, verdict_step)) FROM trial_rung t WHERE t.sweep_id = $1 AND t.arm = decision.arm),
         (SELECT max(step) FROM search_limit l WHERE l.sweep_id = $1 AND l.arm = decision.arm)) AS latest,
       (SELECT trials FROM search_limit l WHERE l.sweep_id = $1 AND l.arm = decision.arm ORDER BY step DESC LIMIT 1) AS limit
     FROM decision WHERE sweep_id = $1 GROUP BY arm ORDER BY arm`,
    [sweepId],
  );
  return rows;
}

/** Locks the row of a search's sweep, so that the orchestrator's next round waits. Returns its plan. */
export async function lockSearch(client: PoolClient, sweepId: string) {
  const { rows } = await client.query<{ plan: unknown; intent: string }>(
    "SELECT plan, intent FROM sweep WHERE id = $1 FOR UPDATE",
    [sweepId],
  );
  const [sweep] = rows;
  if (!sweep) throw new AppError("not_found", `no sweep with the id ${sweepId}`);
  const plan = sweep.plan === null ? undefined : SweepPlan.parse(sweep.plan);
  const search = plan?.search;
  if (!plan || !search) throw new AppError("conflict", `sweep ${sweepId} has no search in its plan`);
  if (sweep.intent === "cancel")
    throw new AppError("conflict", `sweep ${sweepId} was cancelled, so it gets no further trial`);
  return { plan, search };
}
