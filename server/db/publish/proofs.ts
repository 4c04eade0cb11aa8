import type { Database } from "../storage/client.ts";

/** Proof that a table can be reproduced. `code`: version of the code that computed it. */
export type TableProofRow = { hash: string; query: unknown; code: string; createdAt: Date };

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
