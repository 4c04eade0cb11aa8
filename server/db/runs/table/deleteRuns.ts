import { AppError, formatCount } from "#packages/base";
import { overSql } from "../../storage/sql.ts";
import type { Pool } from "../../storage/client.ts";
import { inTransaction } from "../../storage/inTransaction.ts";
import { announceSweeps } from "../marks.ts";
import { readRows } from "../../storage/readRows.ts";
import { z } from "zod";

/** Deletes runs and all their measurements, but not their files. Throws if a run is unfinished or may be alive. */
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
        `${formatCount(open.length, "run is", "runs are")} not over (${some.join(", ")}${open.length > 3 ? ", …" : ""}); cancel them first`,
      );
    }
    const attempts = "SELECT id FROM attempt WHERE run_id = ANY($1)";
    await client.query(`DELETE FROM metric_row WHERE attempt_id IN (${attempts})`, [ids]);
    await client.query(`DELETE FROM metric_block WHERE attempt_id IN (${attempts})`, [ids]);
    const rows = await readRows(client, z.object({ sweepId: z.string() }), {
      sql: `DELETE FROM run WHERE id = ANY($1) RETURNING sweep_id AS "sweepId"`,
      values: [ids],
    });
    await announceSweeps(client, rows);
    return rows.length;
  });
}
