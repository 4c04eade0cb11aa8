import { AppError } from "#server/domain/errors.ts";
import { overSql } from "../overSql.ts";
import type { Pool } from "../client.ts";
import { inTransaction } from "../inTransaction.ts";
import { readRows } from "../readRows.ts";
import { formatCount } from "#server/domain/words.ts";
import { z } from "zod";

/** Tags, note and archive mark that a person gives runs; an absent one stays as it is. */
export type RunMarks = { addTags?: string[]; removeTags?: string[]; note?: string; isArchived?: boolean };

/** Writes marks on these runs; how many of them there are. Marks change nothing that is measured or counted. */
export async function markRuns(pool: Pool, ids: readonly string[], marks: RunMarks): Promise<number> {
  const { addTags = [], removeTags = [], note, isArchived } = marks;
  return inTransaction(pool, async (client) => {
    const rows = await readRows(client, z.object({ sweepId: z.string() }), {
      sql: `UPDATE run SET
         tags = ARRAY(SELECT DISTINCT tag FROM unnest(tags || $2::text[]) AS tag WHERE tag <> ALL ($3::text[]) ORDER BY tag),
         note = coalesce($4, note),
         archived_at = CASE WHEN $5::boolean THEN coalesce(archived_at, now()) WHEN NOT $5 THEN NULL ELSE archived_at END
       WHERE id = ANY($1) RETURNING sweep_id AS "sweepId"`,
      values: [ids, addTags, removeTags, note ?? null, isArchived ?? null],
    });
    await tell(client, rows);
    return rows.length;
  });
}

/** Forgets runs with everything they measured; their files stay. Refused where one is not over, or is alive still. */
export async function deleteRuns(pool: Pool, ids: readonly string[]): Promise<number> {
  return inTransaction(pool, async (client) => {
    const locked = await readRows(client, z.object({ id: z.string(), isOver: z.boolean() }), {
      sql: `SELECT id, ${overSql("run")} AND NOT EXISTS (SELECT FROM attempt WHERE run_id = run.id AND live) AS "isOver"
       FROM run WHERE id = ANY($1) ORDER BY id FOR UPDATE`,
      values: [ids],
    });
    const open = locked.filter(({ isOver }) => !isOver);
    if (open.length > 0) {
      const some = open.slice(0, 3).map(({ id }) => id);
      throw new AppError(
        "conflict",
        `${formatCount(open.length, "run is", "runs are")} not over (${some.join(", ")}${open.length > 3 ? ", …" : ""}); cancel first`,
      );
    }
    const attempts = "SELECT id FROM attempt WHERE run_id = ANY($1)";
    await client.query(`DELETE FROM metric_row WHERE attempt_id IN (${attempts})`, [ids]);
    await client.query(`DELETE FROM metric_block WHERE attempt_id IN (${attempts})`, [ids]);
    const rows = await readRows(client, z.object({ sweepId: z.string() }), {
      sql: `DELETE FROM run WHERE id = ANY($1) RETURNING sweep_id AS "sweepId"`,
      values: [ids],
    });
    await tell(client, rows);
    return rows.length;
  });
}

/** Announces changes of these sweeps to open pages, when the transaction commits. */
async function tell(client: Parameters<typeof readRows>[0], rows: readonly { sweepId: string }[]): Promise<void> {
  await client.query(
    "SELECT pg_notify('arlarena', json_build_object('sweepId', id, 'kind', 'sweep')::text) FROM unnest($1::text[]) AS id",
    [[...new Set(rows.map(({ sweepId }) => sweepId))]],
  );
}
