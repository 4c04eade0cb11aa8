import { z } from "zod";
import { AppError, groupBy } from "#packages/base";
import { differingFirst } from "#server/domain/plan/sweep/labels/labelTitles.ts";
import { chooseLooks, type Look } from "#server/domain/plan/sweep/methods/looks.ts";
import type { Database, Pool } from "../storage/client.ts";
import { readRows } from "../storage/readRows.ts";

export async function readBaseline({ prisma }: Database, sweepId: string): Promise<number | null> {
  const sweep = await prisma.sweep.findUnique({ where: { id: sweepId }, select: { baselineCell: true } });
  if (sweep?.baselineCell == null) return null;
  const where = { sweepId_index: { sweepId, index: sweep.baselineCell } };
  return (await prisma.cell.findUnique({ where, select: { id: true } }))?.id ?? null;
}

/** Stores a cell of a sweep as its baseline; null removes the baseline. Throws `not_found`. */
export async function pinBaseline({ prisma }: Database, sweepId: string, cellId: number | null): Promise<void> {
  const cell = cellId === null ? null : await prisma.cell.findFirst({ where: { id: cellId, sweepId } });
  if (cellId !== null && !cell) throw new AppError("not_found", `sweep ${sweepId} has no cell ${cellId}`);
  const { count } = await prisma.sweep.updateMany({
    where: { id: sweepId },
    data: { baselineCell: cell?.index ?? null },
  });
  if (count === 0) throw new AppError("not_found", `there is no sweep ${sweepId}`);
}

/** SQL condition that a cell is shown: false if users moved all its imported runs to entered configurations. */
export const shownSql = (cell: string): string =>
  `(EXISTS (SELECT FROM run WHERE run.cell_id = ${cell}.id)
    OR NOT EXISTS (SELECT FROM run WHERE run.imported_cell_id = ${cell}.id))`;

export const environmentSql = (spec: string): string =>
  `coalesce(${spec}->'environment'->>'title', ${spec}->'environment'->>'id')`;

const CellLabel = z.object({ id: z.int(), sweepId: z.string(), label: z.string() });
const CellOfSweep = CellLabel.extend({ method: z.string(), environment: z.string() });

/** Returns the labels of all cells of the sweeps, each beginning with what differs within its sweep, by cell id. */
export async function readLabels(pool: Pool, sweepIds: readonly string[]): Promise<Map<number, string>> {
  const cells = await readRows(pool, CellLabel, {
    sql: `SELECT id, sweep_id AS "sweepId", label FROM cell WHERE sweep_id = ANY($1) AND ${shownSql("cell")}`,
    values: [sweepIds],
  });
  const bySweep = groupBy(cells, ({ sweepId }) => sweepId);
  return new Map(
    [...bySweep.values()].flatMap((own) => {
      const sorted = differingFirst(own.map(({ label }) => label));
      return own.map(({ id, label }) => [id, sorted.get(label) ?? label] as const);
    }),
  );
}

/** Returns the looks of all configurations of the sweeps, by cell id; each sweep's are chosen together. */
async function readLooks(pool: Pool, sweepIds: readonly string[]): Promise<Map<number, Look>> {
  const cells = await readRows(pool, CellOfSweep, {
    sql: `SELECT id, sweep_id AS "sweepId", method, label, ${environmentSql("spec")} AS environment FROM cell
     WHERE sweep_id = ANY($1) AND ${shownSql("cell")} ORDER BY sweep_id, index`,
    values: [sweepIds],
  });
  return new Map([...groupBy(cells, ({ sweepId }) => sweepId).values()].flatMap((own) => [...chooseLooks(own)]));
}

/** Adds to each row the look of its configuration, which is the same on all pages. */
export async function withLooks<Row extends { sweepId: string }>(
  pool: Pool,
  rows: readonly Row[],
  cellOf: (row: Row) => number,
): Promise<(Row & { look: Look })[]> {
  const looks = await readLooks(pool, [...new Set(rows.map(({ sweepId }) => sweepId))]);
  return rows.map((row) => ({ ...row, look: looks.get(cellOf(row)) ?? { color: "var(--edge)", mark: 0 } }));
}

/**
 * Returns, by cell id, a hash of the cell's task and settings without its method. Cells with equal hashes differ only
 * in method, whatever their labels. `withoutSampler` also ignores staleness and precision of the sampling policy.
 */
export async function readCellSettings(
  pool: Pool,
  sweepIds: readonly string[],
  { withoutSampler = false } = {},
): Promise<Map<number, string>> {
  const sampler = withoutSampler ? " #- '{rollout,lag}' #- '{rollout,samplerPrecision}'" : "";
  const rows = await readRows(pool, z.object({ id: z.int(), setting: z.string() }), {
    // jsonb has a canonical order of keys, so equal values have equal texts.
    sql: `SELECT id, md5((spec - 'method' - 'execution'${sampler})::text) AS setting FROM cell WHERE sweep_id = ANY($1)`,
    values: [sweepIds],
  });
  return new Map(rows.map(({ id, setting }) => [id, setting]));
}
