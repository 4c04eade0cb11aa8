import type { Database } from "#server/db/storage/client.ts";
import { AppError } from "#packages/base";

/** Throws `not_found` with the first id for which no sweep exists. */
export async function requireSweeps({ prisma }: Database, ids: readonly string[]): Promise<void> {
  const found = await prisma.sweep.findMany({ where: { id: { in: [...ids] } }, select: { id: true } });
  const missing = ids.find((id) => !found.some((one) => one.id === id));
  if (missing !== undefined) throw new AppError("not_found", `there is no sweep ${missing}`);
}
