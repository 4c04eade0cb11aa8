import { AppError } from "#packages/base";
import { isOver } from "#server/domain/runs/runStatus.ts";
import { isTakenBack } from "#server/domain/plan/sweep/estimate/calibration.ts";
import { widenGrid } from "#server/domain/plan/sweep/expand/widen.ts";
import type { Database } from "../storage/client.ts";
import type { Prisma } from "../generated/client.ts";
import { notCancelled, notify, refuseForeign } from "./sweeps.ts";

type Writes = Pick<Database, "prisma">;

/** Adds the missing seeds of every cell; the plan stays unchanged. Runs taken back resume. Returns their number. */
export async function addSeeds({ prisma }: Writes, id: string, numNew: number): Promise<number> {
  return await prisma.$transaction(async (db) => {
    const sweep = await readGrid(db, id);
    const counted = sweep.runs.filter((run) => !isTakenBack(run));
    // A sweep that was cancelled as a whole is reopened only if all its runs have finished or failed.
    const isDone = counted.every(({ status }) => status === "finished" || status === "failed");
    if (sweep.intent === "cancel" && !isDone) {
      throw new AppError("conflict", "the sweep was cancelled; retry its runs first");
    }
    // A hyperparameter search decides about each trial once, by the seeds of the plan.
    if (await db.decision.findFirst({ where: { sweepId: id }, select: { number: true } })) {
      throw new AppError(
        "conflict",
        "seeds cannot be added to a search, because its trials are judged by the seeds of the plan",
      );
    }
    const added = widenGrid({ cells: sweep.cells, runs: counted }, numNew);
    const indexOf = new Map(sweep.cells.map((cell) => [cell.id, cell.index]));
    const before = new Map(sweep.runs.map((run) => [`${run.cellId} ${run.seed}`, run]));
    const addedAt = new Date();
    const runs = added.map(({ cellId, seed }) => {
      const old = before.get(`${cellId} ${seed}`);
      return {
        old,
        row: { id: old?.id ?? `${id}-c${indexOf.get(cellId)}-s${seed}`, sweepId: id, cellId, seed, addedAt },
      };
    });
    await db.run.createMany({ data: runs.flatMap(({ old, row }) => (old ? [] : [row])) });
    const again = { status: "pending", reason: null, intent: "run", endedAt: null, notBefore: null, addedAt };
    for (const { old } of runs) {
      if (!old) continue;
      await db.run.update({ where: { id: old.id }, data: { ...again, maxAttempts: old._count.attempts + 1 } });
    }
    if (sweep.intent === "cancel") await db.sweep.update({ where: { id }, data: { intent: "run", ...notCancelled } });
    await noteRuns(db, id, { runs: runs.map(({ row }) => row), word: "added" });
    return runs.length;
  });
}

/** Cancels every unfinished added run; it no longer counts, but its measurements are kept. Returns their number. */
export async function takeBackSeeds({ prisma }: Writes, id: string): Promise<number> {
  return await prisma.$transaction(async (db) => {
    const sweep = await readGrid(db, id);
    const runs = sweep.runs.filter(
      ({ addedAt, status, intent }) => addedAt !== null && intent === "run" && !isOver(status),
    );
    if (runs.length === 0) throw new AppError("conflict", "no added run of this sweep is waiting or running");
    await db.run.updateMany({ where: { id: { in: runs.map((run) => run.id) } }, data: { intent: "cancel" } });
    await noteRuns(db, id, { runs, word: "taken back" });
    return runs.length;
  });
}

async function readGrid(db: Prisma.TransactionClient, id: string) {
  const sweep = await db.sweep.findUnique({
    where: { id },
    select: {
      intent: true,
      origin: true,
      cells: { select: { id: true, index: true }, orderBy: { index: "asc" } },
      runs: {
        select: {
          id: true,
          cellId: true,
          seed: true,
          status: true,
          reason: true,
          intent: true,
          addedAt: true,
          _count: { select: { attempts: true } },
        },
      },
    },
  });
  if (!sweep) throw new AppError("not_found", `there is no sweep ${id}`);
  refuseForeign(sweep);
  return sweep;
}

type Note = { runs: readonly { id: string; seed: number; status?: string }[]; word: "added" | "taken back" };

async function noteRuns(db: Prisma.TransactionClient, sweepId: string, { runs, word }: Note): Promise<void> {
  await db.statusEvent.createMany({
    data: runs.map(({ id: runId, seed, status = "pending" }) => ({
      runId,
      source: "user",
      status,
      text: `seed ${seed} ${word}`,
    })),
  });
  await notify(db, { sweepId, kind: "sweep" });
}
