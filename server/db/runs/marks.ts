import { z } from "zod";
import { AppError } from "#packages/base";
import type { Pool } from "../storage/client.ts";
import { inTransaction } from "../storage/inTransaction.ts";
import { readRows } from "../storage/readRows.ts";

/** Changes to the marks of runs and sweeps. Absent fields stay unchanged. */
export type Marks = {
  addTags?: string[];
  removeTags?: string[];
  note?: string;
  isFavourite?: boolean;
  isArchived?: boolean;
};
export type MarkedKind = "run" | "sweep";

export async function readMarks(pool: Pool, kind: MarkedKind, id: string) {
  const row = z.object({
    tags: z.array(z.string()),
    note: z.string(),
    isFavourite: z.boolean(),
    isArchived: z.boolean(),
  });
  const [marks] = await readRows(pool, row, {
    sql: `SELECT tags, note, is_favourite AS "isFavourite", archived_at IS NOT NULL AS "isArchived" FROM ${kind} WHERE id = $1`,
    values: [id],
  });
  if (!marks) throw new AppError("not_found", `there is no ${kind} ${id}`);
  return marks;
}

const sweepIdOf: Record<MarkedKind, string> = { run: "sweep_id", sweep: "id" };

/** Writes marks on runs or sweeps and returns the number of those that exist. Marks affect no measurement or count. */
export async function writeMarks(
  pool: Pool,
  { kind, ids }: { kind: MarkedKind; ids: readonly string[] },
  { addTags = [], removeTags = [], note, isFavourite, isArchived }: Marks,
): Promise<number> {
  return inTransaction(pool, async (client) => {
    const rows = await readRows(client, z.object({ sweepId: z.string() }), {
      sql: `UPDATE ${kind} SET
         tags = ARRAY(SELECT DISTINCT tag FROM unnest(tags || $2::text[]) AS tag WHERE tag <> ALL ($3::text[]) ORDER BY tag),
         note = coalesce($4, note),
         is_favourite = coalesce($5::boolean, is_favourite),
         archived_at = CASE WHEN $6::boolean THEN coalesce(archived_at, now()) WHEN NOT $6 THEN NULL ELSE archived_at END
       WHERE id = ANY($1) RETURNING ${sweepIdOf[kind]} AS "sweepId"`,
      values: [ids, addTags, removeTags, note ?? null, isFavourite ?? null, isArchived ?? null],
    });
    await announceSweeps(client, rows);
    return rows.length;
  });
}

/** Notifies open pages that these sweeps have changed, once the transaction commits. */
export async function announceSweeps(
  client: Parameters<typeof readRows>[0],
  rows: readonly { sweepId: string }[],
): Promise<void> {
  await client.query(
    "SELECT pg_notify('arlarena', json_build_object('sweepId', id, 'kind', 'sweep')::text) FROM unnest($1::text[]) AS id",
    [[...new Set(rows.map(({ sweepId }) => sweepId))]],
  );
}
