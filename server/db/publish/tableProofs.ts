import type { Database } from "../storage/client.ts";

/**
 * Stored proof that a table can be reproduced: the table's hash, its query, and the version of the code that computed
 * it.
 */
export type TableProofRow = { hash: string; query: unknown; code: string; createdAt: Date };

/** Stores the reproducibility hashes of tables with their queries; a hash that is stored already stays unchanged. */
export async function keepTableProofs(
  { prisma }: Database,
  proofs: readonly { hash: string; query: object; code: string }[],
): Promise<void> {
  if (proofs.length === 0) return;
  await prisma.tableProof.createMany({ data: [...proofs], skipDuplicates: true });
}

/** Finds table proofs by a hash or its prefix: at most two, which suffice to detect an ambiguous prefix. */
export async function findTableProofs({ prisma }: Database, hash: string): Promise<TableProofRow[]> {
  return prisma.tableProof.findMany({ where: { hash: { startsWith: hash } }, take: 2 });
}
