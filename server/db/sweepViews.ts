import type { Database } from "./client.ts";
import { AppError } from "#server/domain/errors.ts";

/** Views of a sweep's charts that have a name, by name: what the page's address was. */
export async function readSweepViews(
  { prisma }: Database,
  sweepId: string,
): Promise<{ name: string; query: string }[]> {
  return prisma.sweepView.findMany({
    where: { sweepId },
    orderBy: { name: "asc" },
    select: { name: true, query: true },
  });
}

/** Gives a view of a sweep a name; one that has the name already is replaced. */
export async function saveSweepView(
  { prisma }: Database,
  sweepId: string,
  { name, query }: { name: string; query: string },
): Promise<void> {
  if ((await prisma.sweep.count({ where: { id: sweepId } })) === 0) {
    throw new AppError("not_found", `there is no sweep ${sweepId}`);
  }
  await prisma.sweepView.upsert({
    where: { sweepId_name: { sweepId, name } },
    create: { sweepId, name, query },
    update: { query },
  });
}

export async function deleteSweepView({ prisma }: Database, sweepId: string, name: string): Promise<void> {
  await prisma.sweepView.deleteMany({ where: { sweepId, name } });
}
