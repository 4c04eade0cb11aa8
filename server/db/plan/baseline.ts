import { AppError } from "#packages/base";
import type { Database } from "../storage/client.ts";

/** Baseline cell of a sweep; null if none is pinned. */
export async function readBaseline({ prisma }: Database, sweepId: string): Promise<number | null> {
  const sweep = await prisma.sweep.findUnique({ where: { id: sweepId }, select: { baselineCell: true } });
  if (sweep?.baselineCell == null) return null;
  const where = { sweepId_index: { sweepId, index: sweep.baselineCell } };
  return (await prisma.cell.findUnique({ where, select: { id: true } }))?.id ?? null;
}

/** Pins a cell of a sweep as its baseline; null removes it. Throws `not_found`. */
export async function pinBaseline({ prisma }: Database, sweepId: string, cellId: number | null): Promise<void> {
  const cell = cellId === null ? null : await prisma.cell.findFirst({ where: { id: cellId, sweepId } });
  if (cellId !== null && !cell) throw new AppError("not_found", `sweep ${sweepId} has no cell ${cellId}`);
  const { count } = await prisma.sweep.updateMany({
    where: { id: sweepId },
    data: { baselineCell: cell?.index ?? null },
  });
  if (count === 0) throw new AppError("not_found", `there is no sweep ${sweepId}`);
}
