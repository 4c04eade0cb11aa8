import type { Pool, PoolClient } from "pg";
import { z } from "zod";
import { AppError, groupBy } from "#packages/base";
import { forgetStandings } from "./detections.ts";
import { readBranchesOf, readLines } from "../plan/origins.ts";
import { inTransaction } from "../storage/inTransaction.ts";
import { readColumn, readRows } from "../storage/readRows.ts";

const ExternalChange = z.object({
  id: z.int(),
  runId: z.string(),
  iteration: z.int(),
  /** "origin": the change belongs to the run from which this branch starts, or is the start in another environment. */
  source: z.enum(["log", "person", "origin"]),
  text: z.string(),
  createdAt: z.date(),
});
/** Change from outside the studio, such as other training data. The detector compares no iterations across it. */
export type ExternalChange = z.output<typeof ExternalChange>;

/**
 * Reads the external changes that apply to these runs, or to all runs in some sweeps. A branch has its ancestors'
 * changes up to its first iteration, and a change there if it starts in another environment.
 */
export async function readExternalChanges(
  pool: Pool,
  of: readonly string[] | { sweepIds: readonly string[] },
): Promise<ExternalChange[]> {
  const runIds = "sweepIds" in of ? await readRunIds(pool, of.sweepIds) : of;
  const line = await readLines(pool, runIds);
  const logged = await readLoggedChanges(pool, [...new Set([...runIds, ...line.map(({ origin }) => origin)])]);
  const loggedOf = groupBy(logged, ({ runId }) => runId);
  const lineOf = groupBy(line, ({ run }) => run);
  return runIds.flatMap((runId) => {
    const inherited = (lineOf.get(runId) ?? []).flatMap(({ origin, upTo, isElsewhere }): ExternalChange[] => {
      const before = (loggedOf.get(origin) ?? []).filter(({ iteration }) => iteration <= upTo + 1);
      const start = {
        id: 0,
        iteration: upTo + 1,
        text: "the branch starts in another environment",
        createdAt: new Date(0),
      };
      return [...before, ...(isElsewhere ? [start] : [])].map((one) => ({ ...one, runId, source: "origin" as const }));
    });
    const all = [...(loggedOf.get(runId) ?? []), ...inherited];
    return all.toSorted((a, b) => a.iteration - b.iteration || a.id - b.id);
  });
}

function readRunIds(pool: Pool, sweepIds: readonly string[]): Promise<string[]> {
  // Runs without a change of their own and without an origin have none, and need no look-up.
  return readColumn(pool, z.string(), {
    sql: `SELECT r.id FROM run r JOIN cell c ON c.id = r.cell_id WHERE r.sweep_id = ANY($1)
       AND (c.spec->'initialisation' ? 'run' OR EXISTS (SELECT FROM external_change WHERE run_id = r.id)) ORDER BY r.id`,
    values: [sweepIds],
  });
}

/** Reads the changes that these runs' own logs report or that a person marked on them, by run and iteration. */
export async function readLoggedChanges(pool: Pool | PoolClient, runIds: readonly string[]): Promise<ExternalChange[]> {
  return readRows(pool, ExternalChange, {
    sql: `SELECT id, run_id AS "runId", iteration, source, text, created_at AS "createdAt" FROM external_change
     WHERE run_id = ANY($1) ORDER BY run_id, iteration, id`,
    values: [runIds],
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
    await forgetStandings(client, [runId, ...(await readBranchesOf(client, [runId]))]);
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
    await forgetStandings(client, [...runIds, ...(await readBranchesOf(client, runIds))]);
  });
}
