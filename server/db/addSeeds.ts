import { AppError } from "../domain/errors.ts";
import { maxRuns } from "../domain/sweep/expand.ts";
import type { Database } from "./client.ts";
import { refuseForeign } from "./sweeps.ts";

/**
 * Completes a sweep's grid and widens it: every cell gets a run of each seed that any cell has, and of so many new ones
 * after the largest. The plan stays as it was launched; each run's history says where it comes from. Returns how many
 * runs were added.
 */
export async function addSeeds({ prisma }: Pick<Database, "prisma">, id: string, numNew: number): Promise<number> {
  return await prisma.$transaction(async (db) => {
    const sweep = await db.sweep.findUnique({
      where: { id },
      select: {
        intent: true,
        origin: true,
        cells: { select: { id: true, index: true } },
        runs: { select: { cellId: true, seed: true } },
      },
    });
    if (!sweep) throw new AppError("not_found", `there is no sweep ${id}`);
    refuseForeign(sweep);
    if (sweep.intent === "cancel") throw new AppError("conflict", "the sweep was cancelled; retry its runs first");
    const known = [...new Set(sweep.runs.map(({ seed }) => seed))];
    const largest = Math.max(-1, ...known);
    const seeds = [...known, ...Array.from({ length: numNew }, (_, i) => largest + 1 + i)];
    const taken = new Set(sweep.runs.map(({ cellId, seed }) => `${cellId} ${seed}`));
    const runs = sweep.cells.flatMap(({ id: cellId, index }) =>
      seeds
        .filter((seed) => !taken.has(`${cellId} ${seed}`))
        .map((seed) => ({ id: `${id}-c${index}-s${seed}`, sweepId: id, cellId, seed })),
    );
    if (runs.length === 0) throw new AppError("conflict", "every cell has a run of every seed");
    const total = sweep.runs.length + runs.length;
    if (total > maxRuns) throw new AppError("conflict", `the sweep would have ${total} runs, limit is ${maxRuns}`);
    await db.run.createMany({ data: runs });
    await db.statusEvent.createMany({
      data: runs.map(({ id: runId, seed }) => ({
        runId,
        source: "user",
        status: "pending",
        text: `seed ${seed} added`,
      })),
    });
    const news = JSON.stringify({ sweepId: id, kind: "sweep" });
    await db.$executeRaw`SELECT pg_notify('arlarena', ${news})`;
    return runs.length;
  });
}
