import type { Database } from "../storage/client.ts";

export type SavedView = { name: string; query: string; updatedAt: Date };

/** Reads the saved views of the table of all runs, by name. */
export async function readRunViews({ prisma }: Database): Promise<SavedView[]> {
  return prisma.runView.findMany({ orderBy: { name: "asc" } });
}

/** Saves a view of the table of all runs under a name and replaces an existing view with that name. */
export async function saveRunView({ prisma }: Database, name: string, query: string): Promise<void> {
  await prisma.runView.upsert({ where: { name }, create: { name, query }, update: { query } });
}

export async function deleteRunView({ prisma }: Database, name: string): Promise<void> {
  await prisma.runView.deleteMany({ where: { name } });
}
