import { z } from "zod";
import { parseStoredSpec, type StoredSpec } from "#server/domain/plan/sweep/stored/storedSpec.ts";
import type { Database, Pool } from "../storage/client.ts";
import type { Look } from "#server/domain/plan/sweep/methods/looks.ts";
import { withLooks } from "../plan/cells.ts";
import { countedSql } from "../storage/sql.ts";
import { readRows } from "../storage/readRows.ts";
import { withShortLabels } from "#server/domain/plan/sweep/labels/labelTitles.ts";
import { nameCell, nameCells, sweepOfCellName } from "#server/domain/plan/sweep/labels/nameCell.ts";

/** JSON contains times as text. */
const Moment = z.coerce.date();

const Row = z.object({
  cellId: z.number(),
  sweepId: z.string(),
  sweepName: z.string(),
  method: z.string(),
  label: z.string(),
  spec: z.unknown(),
  runs: z.array(
    z.object({ id: z.string(), seed: z.number(), addedAt: Moment.nullable(), startedAt: Moment.nullable() }),
  ),
});

/** Configuration with those of its runs that are compared, ordered by seed. */
export type ComparedConfiguration = Omit<z.infer<typeof Row>, "spec"> & {
  spec: StoredSpec;
  look: Look;
  /** Name in addresses, by `nameCells`. */
  name: string;
};

type Asked = { runIds: readonly string[]; cellIds: readonly number[]; cells?: readonly string[] };

/** Reads the configurations of the given runs, and those of whole cells, in the order of sweeps and plans. */
export async function readCompared(
  { pool }: Pick<Database, "pool">,
  { runIds, cellIds, cells = [] }: Asked,
): Promise<ComparedConfiguration[]> {
  const rows = await readRows(pool, Row, {
    sql: `SELECT c.id AS "cellId", c.sweep_id AS "sweepId", s.name AS "sweepName", c.method, c.label, c.spec,
       jsonb_agg(jsonb_build_object('id', r.id, 'seed', r.seed,
         'addedAt', r.added_at, 'startedAt', r.started_at) ORDER BY r.seed, r.id) AS runs
     FROM run r JOIN cell c ON c.id = r.cell_id JOIN sweep s ON s.id = c.sweep_id
     WHERE r.id = ANY($1) OR (c.id = ANY($2) AND ${countedSql("r")})
     GROUP BY c.id, s.id ORDER BY s.created_at, s.id, c.index`,
    values: [runIds, [...cellIds, ...(await findCells(pool, cells))]],
  });
  const looking = await withLooks(pool, withShortLabels(rows), ({ cellId }) => cellId);
  const named = await readNames(
    pool,
    rows.map(({ sweepId }) => sweepId),
  );
  const names = new Map(named.map(({ id, name }) => [id, name]));
  return looking.map(({ spec, ...row }) => ({
    ...row,
    spec: parseStoredSpec(spec),
    name: names.get(row.cellId) ?? nameCell(row),
  }));
}

/** Returns the sweeps of the given runs and configurations; undefined if one does not exist, because it may come later. */
export async function findComparedSweeps(
  pool: Pool,
  { runIds, cellIds, cells = [] }: Asked,
): Promise<string[] | undefined> {
  const asked = [runIds, cellIds, cells.map(sweepOfCellName)].map((ids) => [...new Set<string | number>(ids)]);
  const rows = await readRows(pool, z.object({ sweepId: z.string() }), {
    sql: `SELECT sweep_id AS "sweepId" FROM run WHERE id = ANY($1)
     UNION ALL SELECT sweep_id FROM cell WHERE id = ANY($2) UNION ALL SELECT id FROM sweep WHERE id = ANY($3)`,
    values: asked,
  });
  return rows.length === asked.flat().length ? rows.map(({ sweepId }) => sweepId) : undefined;
}

/** Returns the ids of the configurations with these names; all of them for a name without the index that it needs. */
async function findCells(pool: Pool, names: readonly string[]): Promise<number[]> {
  const rows = await readNames(pool, names.map(sweepOfCellName));
  return rows.flatMap((row) => (names.includes(row.name) || names.includes(nameCell(row)) ? [row.id] : []));
}

/** Reads the configurations of sweeps with their names in addresses. */
async function readNames(pool: Pool, sweepIds: readonly string[]) {
  if (sweepIds.length === 0) return [];
  const Named = z.object({ id: z.int(), sweepId: z.string(), index: z.int(), method: z.string(), label: z.string() });
  const rows = withShortLabels(
    await readRows(pool, Named, {
      sql: `SELECT id, sweep_id AS "sweepId", index, method, label FROM cell WHERE sweep_id = ANY($1)`,
      values: [[...new Set(sweepIds)]],
    }),
  );
  const names = nameCells(rows);
  return rows.map((row, i) => ({ ...row, name: names[i] ?? "" }));
}
