import type { Database } from "./client.ts";

export type SavedView = { name: string; query: string; updatedAt: Date };

/** Views of the table of runs that have a name, by name. */
export async function readRunViews({ prisma }: Database): Promise<SavedView[]> {
  return prisma.runView.findMany({ orderBy: { name: "asc" } });
}

/** Gives a view a name; one that has the name already is replaced. */
export async function saveRunView({ prisma }: Database, name: string, query: string): Promise<void> {
  await prisma.runView.upsert({ where: { name }, create: { name, query }, update: { query } });
}

export async function deleteRunView({ prisma }: Database, name: string): Promise<void> {
  await prisma.runView.deleteMany({ where: { name } });
}
