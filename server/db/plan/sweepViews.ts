import type { Database } from "../storage/client.ts";
import { AppError } from "#packages/base";

/** Reads the saved chart views of a sweep, by name; each view is the query string of a URL. */
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

/** Saves a chart view of a sweep under a name and replaces an existing view with that name. */
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
