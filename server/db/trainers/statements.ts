import { environmentSql } from "../plan/cells.ts";
import { z } from "zod";
import { AppError } from "#packages/base";
import {
  applyStatement,
  describeStatement,
  labelStated,
  nameStated,
  statedKey,
} from "#server/domain/trainers/import/applyStatement.ts";
import { ImportedSpec, parseStoredSpec } from "#server/domain/plan/sweep/stored/storedSpec.ts";
import { isImported } from "#server/domain/plan/sweep/stored/isImported.ts";
import type { Statement } from "#server/domain/plan/sweep/stored/statement.ts";
import { contentHash } from "#trainer/spec/canonical.ts";
import type { PoolClient } from "pg";
import type { Database } from "../storage/client.ts";
import { notifySweep } from "../plan/planned.ts";
import { inTransaction } from "../storage/inTransaction.ts";
import { readColumn, readRows } from "../storage/readRows.ts";

const Imported = z.object({
  id: z.string(),
  sweepId: z.string(),
  cellId: z.number(),
  seed: z.number(),
  /** Cell in which the run was imported; it stays the same if a user enters another configuration by hand. */
  importedCellId: z.number(),
  importedSeed: z.number(),
  spec: z.unknown(),
});
type Imported = Omit<z.infer<typeof Imported>, "spec"> & { spec: ImportedSpec };

/**
 * Moves an external trainer's runs to the configuration that a user enters, in place of an earlier entry. Logs and
 * imported cells stay unchanged. If another run has the seed, the next free one is used. Throws `not_found` for an
 * unknown id, `bad_input` for a run that the studio trained.
 */
export async function stateRuns(
  { pool }: Database,
  { ids, statement }: { ids: readonly string[]; statement: Statement },
): Promise<{ numRuns: number; numReseeded: number }> {
  return await inTransaction(pool, async (client) => {
    const runs = await lockRuns(client, ids);
    let numReseeded = 0;
    for (const run of runs) {
      const spec = applyStatement(run.spec, statement);
      const cellId = await findCell(client, run.sweepId, spec);
      const seed = await moveRun(client, run, { cellId, seed: run.importedSeed });
      if (seed !== run.importedSeed) numReseeded += 1;
      await client.query(`UPDATE run SET imported_cell_id = $2, imported_seed = $3 WHERE id = $1`, [
        run.id,
        run.importedCellId,
        run.importedSeed,
      ]);
      await noteStatement(client, run.id, `a person stated: ${describeStatement(spec)}`);
    }
    await tidyCells(client, runs);
    return { numRuns: runs.length, numReseeded };
  });
}

/** Returns the runs to the configurations with which they were imported. */
export async function withdrawStatements({ pool }: Database, ids: readonly string[]): Promise<{ numRuns: number }> {
  return await inTransaction(pool, async (client) => {
    const all = await lockRuns(client, ids);
    const runs = all.filter(({ cellId, importedCellId }) => cellId !== importedCellId);
    for (const run of runs) {
      await moveRun(client, run, { cellId: run.importedCellId, seed: run.importedSeed });
      await client.query("UPDATE run SET imported_cell_id = NULL, imported_seed = NULL WHERE id = $1", [run.id]);
      await noteStatement(client, run.id, "what a person had stated was taken back");
    }
    await tidyCells(client, runs);
    return { numRuns: runs.length };
  });
}

/** Locks the runs' sweeps, so that nobody else changes their configurations. Returns the runs by cell and seed. */
async function lockRuns(client: PoolClient, ids: readonly string[]): Promise<Imported[]> {
  await client.query(
    "SELECT FROM sweep WHERE id IN (SELECT sweep_id FROM run WHERE id = ANY($1)) ORDER BY id FOR UPDATE",
    [ids],
  );
  const rows = await readRows(client, Imported, {
    sql: `SELECT r.id, r.sweep_id AS "sweepId", r.cell_id AS "cellId", r.seed, c.spec, c.id AS "importedCellId",
       coalesce(r.imported_seed, r.seed) AS "importedSeed"
     FROM run r JOIN cell c ON c.id = coalesce(r.imported_cell_id, r.cell_id)
     WHERE r.id = ANY($1) ORDER BY r.sweep_id, c.index, "importedSeed"`,
    values: [ids],
  });
  const missing = ids.find((id) => !rows.some((row) => row.id === id));
  if (missing !== undefined) throw new AppError("not_found", `there is no run ${missing}`);
  return rows.map(({ spec, ...row }) => {
    const stored = parseStoredSpec(spec);
    if (isImported(stored)) return { ...row, spec: stored };
    throw new AppError(
      "bad_input",
      `run ${row.id} was trained by the studio, so its configuration is known and cannot be changed`,
    );
  });
}

const Cell = z.object({ id: z.number(), index: z.number(), method: z.string(), label: z.string(), spec: z.unknown() });

async function readSweepCells(client: PoolClient, sweepId: string) {
  const rows = await readRows(client, Cell, {
    sql: "SELECT id, index, method, label, spec FROM cell WHERE sweep_id = $1 ORDER BY index",
    values: [sweepId],
  });
  return rows.map(({ spec, ...row }) => ({ ...row, spec: parseStoredSpec(spec) }));
}

/** Returns the id of the cell with this configuration in the sweep; creates the cell if it does not exist. */
async function findCell(client: PoolClient, sweepId: string, spec: ImportedSpec): Promise<number> {
  const cells = await readSweepCells(client, sweepId);
  const key = statedKey(spec);
  const found = cells.find((cell) => isImported(cell.spec) && cell.spec.stated && statedKey(cell.spec) === key);
  if (found) return found.id;
  const [made] = await readColumn(client, z.number(), {
    sql: `INSERT INTO cell (sweep_id, index, method, label, spec, spec_hash) VALUES ($1, $2, $3, 'stated', $4, $5)
     RETURNING id`,
    values: [
      sweepId,
      Math.max(-1, ...cells.map(({ index }) => index)) + 1,
      nameStated(spec),
      JSON.stringify(spec),
      contentHash(spec),
    ],
  });
  if (made === undefined) throw new AppError("internal", `no cell for a stated configuration of sweep ${sweepId}`);
  return made;
}

/** Moves a run to a cell with the requested seed or the next free one. Returns the seed. */
async function moveRun(client: PoolClient, run: Imported, to: { cellId: number; seed: number }): Promise<number> {
  if (run.cellId === to.cellId) return run.seed;
  const sql = "SELECT seed FROM run WHERE cell_id = $1";
  const taken = new Set(await readColumn(client, z.number(), { sql, values: [to.cellId] }));
  let { seed } = to;
  for (let free = 0; taken.has(seed); free++) seed = free;
  await client.query("UPDATE run SET cell_id = $2, seed = $3 WHERE id = $1", [run.id, to.cellId, seed]);
  return seed;
}

async function noteStatement(client: PoolClient, runId: string, text: string): Promise<void> {
  await client.query("INSERT INTO status_event (run_id, source, status, text) VALUES ($1, 'user', 'stated', $2)", [
    runId,
    text,
  ]);
}

async function tidyCells(client: PoolClient, runs: readonly Imported[]): Promise<void> {
  for (const sweepId of new Set(runs.map((run) => run.sweepId))) {
    await client.query(
      `DELETE FROM cell WHERE sweep_id = $1 AND spec ? 'stated'
         AND NOT EXISTS (SELECT FROM run WHERE cell_id = cell.id)`,
      [sweepId],
    );
    const used = await readColumn(client, z.number(), {
      sql: "SELECT DISTINCT cell_id AS id FROM run WHERE sweep_id = $1",
      values: [sweepId],
    });
    const cells = (await readSweepCells(client, sweepId)).filter(({ id }) => used.includes(id));
    for (const [i, label] of labelStated(cells).entries()) {
      const cell = cells[i];
      if (cell === undefined || label === undefined || label === cell.label) continue;
      await client.query("UPDATE cell SET label = $2 WHERE id = $1", [cell.id, label]);
    }
    await notifySweep(client, sweepId);
  }
}

const StatableRow = z.object({
  cellId: z.number(),
  sweepId: z.string(),
  name: z.string(),
  environment: z.string(),
  runIds: z.array(z.string()),
  specs: z.array(z.unknown()),
  params: z.record(z.string(), z.string()).nullable(),
});

/** Imported runs to which the external trainer gave the same name. */
export type StatableGroup = Omit<z.infer<typeof StatableRow>, "specs" | "params"> & {
  specs: ImportedSpec[];
  /** Parameters whose recorded value is the same in all of these runs. */
  params: Readonly<Record<string, string>>;
};

/** Reads runs of external trainers, of some sweeps or by id, grouped by the name that their trainer gave them. */
export async function readStatable(
  { pool }: Database,
  scope: { sweepIds: readonly string[] } | { runIds: readonly string[] },
): Promise<StatableGroup[]> {
  const [where, ids] = "sweepIds" in scope ? ["r.sweep_id", scope.sweepIds] : ["r.id", scope.runIds];
  const rows = await readRows(pool, StatableRow, {
    sql: `WITH asked AS (
       SELECT r.id, r.seed, coalesce(r.imported_cell_id, r.cell_id) AS of, c.spec FROM run r JOIN cell c ON c.id = r.cell_id
       WHERE ${where} = ANY($1) AND c.spec->>'kind' = 'imported'
     )
     SELECT c.id AS "cellId", c.sweep_id AS "sweepId", c.method AS name, ${environmentSql("c.spec")} AS environment,
       array_agg(s.id ORDER BY s.seed) AS "runIds", array_agg(DISTINCT s.spec) AS specs,
       (SELECT jsonb_object_agg(key, value) FROM (
          SELECT key, min(value) AS value FROM tracked_value
          WHERE kind = 'param' AND run_id IN (SELECT id FROM asked WHERE asked.of = c.id)
          GROUP BY key HAVING count(DISTINCT value) = 1
        ) AS alike) AS params
     FROM asked s JOIN cell c ON c.id = s.of JOIN sweep w ON w.id = c.sweep_id
     GROUP BY c.id, w.created_at ORDER BY w.created_at, c.sweep_id, c.index`,
    values: [ids],
  });
  return rows.map(({ specs, params, ...row }) => {
    return { ...row, specs: specs.map((spec) => ImportedSpec.parse(spec)), params: params ?? {} };
  });
}
