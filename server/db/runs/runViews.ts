import type { Database } from "../storage/client.ts";

export type SavedView = { name: string; query: string; updatedAt: Date };

export async function readRunViews({ prisma }: Database): Promise<SavedView[]> {
  return prisma.runView.findMany({ orderBy: { name: "asc" } });
}

export async function saveRunView({ prisma }: Database, name: string, query: string): Promise<void> {
  await prisma.runView.upsert({ where: { name }, create: { name, query }, update: { query } });
}

export async function deleteRunView({ prisma }: Database, name: string): Promise<void> {
  await prisma.runView.deleteMany({ where: { name } });
}
