import type { Database } from "./client.ts";

/** A table that was shown: how to make it again, and by which code it was made. */
export type TableProofRow = { hash: string; query: unknown; code: string; createdAt: Date };

/** Remembers tables by their hash; one that is known stays as it was. */
export async function keepTableProofs(
  { prisma }: Database,
  proofs: readonly { hash: string; query: object; code: string }[],
): Promise<void> {
  if (proofs.length === 0) return;
  await prisma.tableProof.createMany({ data: [...proofs], skipDuplicates: true });
}

/** By the hash or the beginning of it; at most two, to tell when it is not enough. */
export async function findTableProofs({ prisma }: Database, hash: string): Promise<TableProofRow[]> {
  return prisma.tableProof.findMany({ where: { hash: { startsWith: hash } }, take: 2 });
}
