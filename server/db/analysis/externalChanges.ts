import type { Pool, PoolClient } from "pg";
import { z } from "zod";
import { AppError } from "#packages/base";
import { forgetStandings } from "./detections.ts";
import { inTransaction } from "../storage/inTransaction.ts";
import { readColumn, readRows } from "../storage/readRows.ts";

const ExternalChange = z.object({
  id: z.int(),
  runId: z.string(),
  iteration: z.int(),
  source: z.enum(["log", "person"]),
  text: z.string(),
  createdAt: z.date(),
});
/** Change from outside the studio, such as other training data. The detector compares no iterations across it. */
export type ExternalChange = z.output<typeof ExternalChange>;

/** Reads the external changes of these runs, or of all runs in some sweeps, ordered by run and iteration. */
export async function readExternalChanges(
  pool: Pool | PoolClient,
  of: readonly string[] | { sweepIds: readonly string[] },
): Promise<ExternalChange[]> {
  const [where, ids] =
    "sweepIds" in of
      ? ["run_id IN (SELECT id FROM run WHERE sweep_id = ANY($1))", of.sweepIds]
      : ["run_id = ANY($1)", of];
  return readRows(pool, ExternalChange, {
    sql: `SELECT id, run_id AS "runId", iteration, source, text, created_at AS "createdAt" FROM external_change
     WHERE ${where} ORDER BY run_id, iteration, id`,
    values: [ids],
  });
}

type Marked = { runId: string; iteration: number; text: string };

export async function insertLoggedChanges(client: PoolClient, changes: readonly Marked[]): Promise<void> {
  if (changes.length === 0) return;
  await client.query(
    `INSERT INTO external_change (run_id, iteration, source, text)
     SELECT run_id, iteration, 'log', text FROM unnest($1::text[], $2::int[], $3::text[]) AS new(run_id, iteration, text)
     ON CONFLICT DO NOTHING`,
    [
      changes.map(({ runId }) => runId),
      changes.map(({ iteration }) => iteration),
      changes.map(({ text }) => text.replaceAll("\u0000", "")),
    ],
  );
}

/** Stores a user's external change, after which the detector processes the log again. Throws `not_found`. */
export async function markChange(pool: Pool, { runId, iteration, text }: Marked): Promise<void> {
  await inTransaction(pool, async (client) => {
    const { rowCount } = await client.query(
      `INSERT INTO external_change (run_id, iteration, source, text) SELECT id, $2, 'person', $3 FROM run WHERE id = $1
       ON CONFLICT (run_id, iteration, source) DO UPDATE SET text = $3`,
      [runId, iteration, text],
    );
    if (rowCount === 0) throw new AppError("not_found", `there is no run ${runId}`);
    await forgetStandings(client, [runId]);
  });
}

/** Deletes an external change that a user marked; changes that the log reports stay. Throws `not_found`. */
export async function unmarkChange(pool: Pool, id: number): Promise<void> {
  await inTransaction(pool, async (client) => {
    const runIds = await readColumn(client, z.string(), {
      sql: `DELETE FROM external_change WHERE id = $1 AND source = 'person' RETURNING run_id AS "runId"`,
      values: [id],
    });
    if (runIds.length === 0) throw new AppError("not_found", `there is no change ${id} that a person marked`);
    await forgetStandings(client, runIds);
  });
}
