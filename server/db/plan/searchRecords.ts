import type { Pool, PoolClient } from "pg";
import { groupBy } from "#packages/base";
import { limitAt } from "#server/domain/plan/search/schedule.ts";
import type { SearchRecord } from "#server/domain/plan/search/record.ts";
import type { Pooled } from "../storage/client.ts";
import { inTransaction } from "../storage/inTransaction.ts";
import { readDecisions } from "./searches.ts";
import { insertLimits, readSearchLimits } from "./searchLimits.ts";
import { readTrialRungs } from "./trialRungs.ts";

/** Reads all decisions of a search, for export. `indexOf`: maps a cell's id to its index in the sweep. */
export async function readSearchRecord(
  pool: Pool,
  sweepId: string,
  indexOf: ReadonlyMap<number, number>,
): Promise<SearchRecord | undefined> {
  const decisions = await readDecisions(pool, sweepId);
  if (decisions.length === 0) return undefined;
  return {
    decisions: decisions.map(({ cellId, ...decision }) => ({
      ...decision,
      cell: cellId === null ? null : (indexOf.get(cellId) ?? null),
    })),
    rungs: (await readTrialRungs(pool, sweepId)).map(({ losses, verdict, ...rung }) => ({
      ...rung,
      losses: [...losses],
      verdict: verdict && { ...verdict, known: [...verdict.known] },
    })),
    limits: await readSearchLimits(pool, sweepId),
  };
}

type Recorded = { sweepId: string; cellIds: ReadonlyMap<number, number>; planned: number; record: SearchRecord };

/** Stores another studio's search. No further trials start: each configuration ends with its current ones. */
export async function insertSearchRecord({ pool }: Pooled, recorded: Recorded): Promise<void> {
  const { sweepId, record } = recorded;
  await inTransaction(pool, async (client) => {
    await insertDecisions(client, recorded);
    await insertRungs(client, sweepId, record.rungs);
    await insertLimits(client, sweepId, [...record.limits, ...endHere(recorded)]);
  });
}

/** First words of the reason for the end of an imported search, which rests until a person lets it act. */
export const restReason = "recorded with";

function endHere({ record, planned }: Recorded): SearchRecord["limits"] {
  const limitsOf = groupBy(record.limits, ({ arm }) => arm);
  const rungsOf = groupBy(record.rungs, ({ arm }) => arm);
  return [...groupBy(record.decisions, ({ arm }) => arm)].flatMap(([arm, decisions]) => {
    const limits = limitsOf.get(arm) ?? [];
    const trials = decisions.length;
    if (trials >= limitAt(planned, limits)) return [];
    const ofRungs = (rungsOf.get(arm) ?? []).map(({ step, verdict }) => verdict?.step ?? step);
    const ofTrials = decisions.map(({ step, outcomeStep }) => outcomeStep ?? step);
    const latest = Math.max(...ofRungs, ...ofTrials, ...limits.map(({ step }) => step));
    return [{ arm, step: latest + 1, kind: "ended" as const, trials, reason: `${restReason} ${trials} trials` }];
  });
}

async function insertDecisions(client: PoolClient, { sweepId, cellIds, record }: Recorded): Promise<void> {
  const rows = record.decisions.map(({ cell, outcomeStep, ...decision }) => ({
    ...decision,
    cell_id: cell === null ? null : (cellIds.get(cell) ?? null),
    outcome_step: outcomeStep,
  }));
  await client.query(
    `INSERT INTO decision (sweep_id, arm, number, step, known, running, point, reason, cell_id, outcome, outcome_step)
     SELECT $1, arm, number, step, known, running, point, reason, cell_id, nullif(outcome, 'null'::jsonb), outcome_step
     FROM jsonb_to_recordset($2::jsonb) AS d(arm int, number int, step int, known int[], running int[], point jsonb,
       reason text, cell_id int, outcome jsonb, outcome_step int)`,
    [sweepId, JSON.stringify(rows)],
  );
}

async function insertRungs(client: PoolClient, sweepId: string, rungs: SearchRecord["rungs"]): Promise<void> {
  for (const { arm, number, rung, losses, step, verdict } of rungs) {
    await client.query(
      `INSERT INTO trial_rung (sweep_id, arm, number, rung, losses, step, verdict, verdict_step, known, reason, decided_at)
       VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, CASE WHEN $7::text IS NOT NULL THEN now() END)`,
      [
        sweepId,
        arm,
        number,
        rung,
        losses,
        step,
        verdict?.kind ?? null,
        verdict?.step ?? null,
        verdict?.known ?? [],
        verdict?.reason ?? null,
      ],
    );
  }
}
