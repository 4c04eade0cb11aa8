import { environmentSql } from "../plan/cells.ts";
import { BranchedFromColumn, branchedFromSql } from "../plan/sweeps.ts";
import { readableName } from "#server/domain/plan/sweep/readableName.ts";
import { z } from "zod";
import type { WordPatterns } from "#server/domain/runs/palette/fuzzy.ts";
import type { Pool } from "../storage/client.ts";
import { readRows, RunStatusColumn } from "../storage/readRows.ts";
import { countedSql, overSql } from "../storage/sql.ts";
import { shortLabel } from "#server/domain/plan/sweep/labels/labelTitles.ts";

const Sweep = z.object({
  id: z.string(),
  name: z.string(),
  origin: z.string(),
  intent: z.string(),
  /** True if the sweep has an unfinished run. */
  isOpen: z.boolean(),
});
export type FoundSweep = z.infer<typeof Sweep>;

const Run = z.object({
  id: z.string(),
  sweepName: z.string(),
  method: z.string(),
  label: z.string(),
  seed: z.number(),
  status: RunStatusColumn,
});
export type FoundRun = z.infer<typeof Run>;

const sweepText = "lower(concat_ws(' ', s.name, s.id, s.description, array_to_string(s.tags, ' ')))";
// SQL for the text in which the command palette searches a run. A run's id contains sweep, cell and seed.
const runText = `lower(concat_ws(' ', s.name, c.method, c.label, ${environmentSql("c.spec")}, 'seed', r.seed, r.id,
  array_to_string(r.tags, ' ')))`;

/** Finds sweeps whose name, id, description or tags match every search word, best match first, archived sweeps last. */
export async function findSweeps(pool: Pool, words: readonly WordPatterns[], limit: number): Promise<FoundSweep[]> {
  const { where, rank, values } = matchSql(words, "found.text");
  const rows = await readRows(pool, Sweep.extend({ branchedFrom: BranchedFromColumn }), {
    sql: `SELECT id, name, origin, intent, branched_from AS "branchedFrom",
         EXISTS (SELECT FROM run WHERE sweep_id = found.id AND NOT ${overSql("run")}) AS "isOpen"
       FROM (SELECT s.*, o.branched_from, ${sweepText} AS text FROM sweep s ${branchedFromSql}) AS found
       WHERE ${where} ORDER BY archived_at IS NOT NULL, ${rank} DESC, branched_from IS NOT NULL, is_favourite DESC, created_at DESC LIMIT $${values.length + 1}`,
    values: [...values, limit],
  });
  return rows.map(({ branchedFrom, ...sweep }) => {
    return { ...sweep, name: readableName({ ...sweep, branchedFrom: branchedFrom ?? undefined }) };
  });
}

const Report = z.object({ id: z.string(), title: z.string() });
export type FoundReport = z.infer<typeof Report>;

/** Finds reports whose titles match every search word: best match first, among equals the last changed. */
export async function findReports(pool: Pool, words: readonly WordPatterns[], limit: number): Promise<FoundReport[]> {
  const { where, rank, values } = matchSql(words, "lower(title)");
  return readRows(pool, Report, {
    sql: `SELECT id, title FROM report WHERE ${where} ORDER BY ${rank} DESC, updated_at DESC LIMIT $${values.length + 1}`,
    values: [...values, limit],
  });
}

/** Finds runs that match every word, best first, archived ones last, and the number of all matches. */
export async function findRuns(
  pool: Pool,
  words: readonly WordPatterns[],
  limit: number,
): Promise<{ total: number; runs: FoundRun[] }> {
  if (words.length === 0) return { total: 0, runs: [] };
  const { where, rank, values } = matchSql(words, "found.text");
  const rows = await readRows(pool, Run.extend({ total: z.number() }), {
    sql: `SELECT id, "sweepName", method, label, seed, status, count(*) OVER ()::int AS total
       FROM (
         SELECT r.id, s.name AS "sweepName", c.method, c.label, r.seed, r.status, r.archived_at, r.is_favourite, s.created_at,
           c.index, ${runText} AS text
         FROM run r JOIN cell c ON c.id = r.cell_id JOIN sweep s ON s.id = r.sweep_id WHERE ${countedSql("r")}
         OFFSET 0
       ) AS found
       WHERE ${where}
       ORDER BY archived_at IS NOT NULL, ${rank} DESC, is_favourite DESC, created_at DESC, index, seed LIMIT $${values.length + 1}`,
    values: [...values, limit],
  });
  return { total: rows[0]?.total ?? 0, runs: rows.map((row) => Run.parse({ ...row, label: shortLabel(row.label) })) };
}

/** Returns the SQL condition that `text` matches every search word, and the SQL rank by which matches are sorted. */
function matchSql(words: readonly WordPatterns[], text: string) {
  const values = words.flatMap(({ fuzzy, prefix, exact }) => [fuzzy, prefix, exact]);
  const where = words.map((_, i) => `${text} ~ $${3 * i + 1}`).join(" AND ");
  const ranks = words.map((_, i) => `(${text} ~ $${3 * i + 2})::int + (${text} ~ $${3 * i + 3})::int`);
  return { where: where || "true", rank: ranks.join(" + ") || "(SELECT 0)", values };
}
