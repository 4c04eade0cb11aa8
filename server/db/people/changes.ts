import type { Pool, PoolClient } from "pg";
import { z } from "zod";
import { runPage, sweepPage } from "#server/domain/pages.ts";
import { clip } from "#server/domain/people/changes.ts";
import { type Guesses, guessing } from "#server/domain/people/newPassword.ts";
import type { Named } from "#server/domain/people/sayChange.ts";
import { readRows } from "../storage/readRows.ts";

const Change = z.object({
  id: z.int(),
  at: z.date(),
  who: z.string(),
  action: z.string(),
  subject: z.string(),
  /** Reason why the change was refused; null if it was made. */
  problem: z.string().nullable(),
});
export type Change = z.infer<typeof Change>;

/** Adds a change to the log of changes, whether it was made or refused. */
export async function noteChange(
  pool: Pool,
  { who, action, subject, problem }: Omit<Change, "id" | "at">,
): Promise<void> {
  await pool.query("INSERT INTO audit_entry (who, action, subject, problem) VALUES ($1, $2, $3, $4)", [
    who,
    action,
    subject,
    problem === null ? null : clip(problem),
  ]);
}

/** Reads the latest entries that contain all the words. `before`: only smaller ids (pagination). */
export async function readChanges(
  pool: Pool,
  { words, before, limit }: { words: readonly string[]; before: number | undefined; limit: number },
): Promise<Change[]> {
  return readRows(pool, Change, {
    sql: `SELECT id, at, who, action, subject, problem FROM audit_entry
      WHERE ($2::int IS NULL OR id < $2)
        AND NOT EXISTS (SELECT FROM unnest($1::text[]) AS word
          WHERE position(lower(word) IN lower(concat_ws(' ', who, action, subject, problem))) = 0)
      ORDER BY id DESC LIMIT $3`,
    values: [words, before ?? null, limit],
  });
}

export async function readGuesses(pool: Pool | PoolClient): Promise<Guesses[]> {
  return readRows(pool, z.object({ id: z.int(), subject: z.string(), problem: z.string() }), {
    sql: `SELECT id, subject, problem FROM audit_entry
      WHERE action = $1 AND who = $2 AND problem IS NOT NULL AND at > now() - interval '1 day' ORDER BY id`,
    values: [guessing.action, guessing.who],
  });
}

/** Reads the names of those ids that are a sweep's or a run's. */
export async function readNamed(pool: Pool, ids: readonly string[]): Promise<Map<string, Named>> {
  const found = await readRows(
    pool,
    z.object({ id: z.string(), sweep: z.string(), method: z.string().nullable(), seed: z.int().nullable() }),
    {
      sql: `SELECT id, name AS sweep, NULL AS method, NULL::int AS seed FROM sweep WHERE id = ANY($1)
      UNION ALL
      SELECT run.id, sweep.name, cell.method, run.seed FROM run
        JOIN cell ON cell.id = run.cell_id JOIN sweep ON sweep.id = run.sweep_id WHERE run.id = ANY($1)`,
      values: [ids],
    },
  );
  return new Map(
    found.map(({ id, sweep, method, seed }) => [
      id,
      method === null
        ? { text: sweep, path: sweepPage(id) }
        : { text: `${method}, seed ${seed} (${sweep})`, path: runPage(id) },
    ]),
  );
}
