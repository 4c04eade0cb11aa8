import { randomUUID } from "node:crypto";
import { maxSweepsTogether } from "#server/domain/plan/sweep/maxSweeps.ts";
import { z } from "zod";
import { cancel, takeBackCancel } from "#server/db/fleet/cancellations.ts";
import { readMissingMetrics } from "#server/db/runs/missingMetrics.ts";
import * as runs from "#server/db/runs/runs.ts";
import { withLooks } from "#server/db/plan/cells.ts";
import { listCheckpoints } from "#server/engine/trainers/checkpoints.ts";
import { endTrackedRun } from "#server/db/trainers/tracked.ts";
import { addSeeds, takeBackSeeds } from "#server/db/plan/addSeeds.ts";
import { shortLabel, withShortLabels } from "#server/domain/plan/sweep/labels/labelTitles.ts";
import { findArtifacts, listTrackedArtifacts } from "./artifacts.ts";
import { open, readdir } from "node:fs/promises";
import { join } from "node:path";
import { readFamily } from "#server/db/plan/origins.ts";
import { findInside } from "./findInside.ts";
import { askAbove } from "#server/domain/plan/sweep/confirmed.ts";
import { cancelEvaluations, readEvaluations } from "#server/db/runs/evaluations.ts";
import { nameCaller } from "../people/caller.ts";
import { changing, viewing, router, Int4, UndoSeconds } from "../trpc.ts";

/** Log files of an attempt that a browser may request, by name: it never sends a path. */
export const logFiles = { stdout: "stdout.log", stderr: "stderr.log", events: "events.jsonl" } as const;
type LogFile = keyof typeof logFiles;

type LogTail = {
  text: string;
  sizeBytes: number;
  skippedBytes: number;
};

/** Returns the last `maxBytes` of a log file, from a whole line on; null if the attempt has no such file (yet). */
export async function readTail(folder: string, file: LogFile, maxBytes: number): Promise<LogTail | null> {
  const path = await findInside(folder, logFiles[file]);
  if (path === null) return null;
  const handle = await open(path, "r");
  try {
    const { size } = await handle.stat();
    const from = Math.max(0, size - maxBytes);
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(size - from), 0, size - from, from);
    const bytes = buffer.subarray(0, bytesRead);
    const start = from === 0 ? 0 : bytes.indexOf("\n") + 1;
    return { text: bytes.subarray(start).toString("utf8"), sizeBytes: size, skippedBytes: from + start };
  } finally {
    await handle.close();
  }
}

/** Lists the iterations with training states of the built-in trainer, or checkpoints of others. */
async function listKept(attempts: readonly { folder: string }[]): Promise<number[]> {
  const others = await listCheckpoints(attempts.map(({ folder }) => folder));
  const files = attempts.map(({ folder }) => readdir(join(folder, "checkpoints")).catch(() => []));
  const kept = (await Promise.all(files)).flat().flatMap((name) => /^iteration-(\d+)\./.exec(name)?.[1] ?? []);
  return [...new Set([...kept.map(Number), ...others.map(({ step }) => step)])].toSorted((a, b) => a - b);
}

const ById = z.strictObject({ id: z.string() });

export const runRouter = router({
  grid: viewing
    .input(
      z.union([
        z.strictObject({ sweepIds: z.array(z.string()).min(1).max(maxSweepsTogether) }),
        z.strictObject({ runIds: z.array(z.string()).min(1).max(50) }),
      ]),
    )
    .query(async ({ ctx, input }) => ({
      cells: await withLooks(
        ctx.database.pool,
        withShortLabels(await runs.readCells(ctx.database, input)),
        ({ id }) => id,
      ),
      runs: await runs.readRuns(ctx.database, input),
    })),

  /** Lists evaluations of finished runs in other environments, requested after training. */
  evaluations: viewing
    .input(z.strictObject({ runIds: z.array(z.string()).min(1).max(50) }))
    .query(({ ctx, input }) => readEvaluations(ctx.database, input)),

  /**
   * Requests evaluations of finished runs. `environments` is YAML: one environment, or a list as in
   * `evaluation.elsewhere` of a sweep file.
   */
  evaluate: changing
    .input(
      z.strictObject({
        runIds: z.array(z.string()).max(1000).default([]),
        sweepIds: z.array(z.string()).max(20).default([]).describe("Sweeps whose ended runs are all evaluated."),
        environments: z.string().max(20_000),
        /** Iterations whose policies are evaluated: null is the last, 0 the policy before reinforcement learning. */
        iterations: z.array(Int4.min(0).nullable()).min(1).max(20).default([null]),
        numEvaluations: Int4.exactOptional().describe(
          `Number of evaluations that the request starts. Required above ${askAbove}.`,
        ),
      }),
    )
    .mutation(({ ctx, input }) =>
      ctx.analyst.ask("evaluation", { ...input, by: nameCaller(ctx.caller), requestId: randomUUID() }),
    ),

  /** Cancels waiting and running evaluations, chosen by id, run or sweep. Returns their number. */
  cancelEvaluations: changing
    .input(
      z.strictObject({
        ids: z.array(Int4).max(1000).default([]),
        runIds: z.array(z.string()).max(1000).default([]),
        sweepIds: z.array(z.string()).max(20).default([]),
      }),
    )
    .mutation(({ ctx, input }) => cancelEvaluations(ctx.database, input)),

  /** Adds the missing runs of existing seeds, and `numNew` new seeds to every cell. */
  addSeeds: changing
    .input(z.strictObject({ sweepId: z.string(), numNew: z.int().min(0).max(100) }))
    .mutation(async ({ ctx, input }) => ({ numRuns: await addSeeds(ctx.database, input.sweepId, input.numNew) })),

  /** Cancels runs of added seeds that have not finished. */
  takeBackSeeds: changing
    .input(z.strictObject({ sweepId: z.string() }))
    .mutation(async ({ ctx, input }) => ({ numRuns: await takeBackSeeds(ctx.database, input.sweepId) })),

  /** Returns the metrics that a sweep's plan names and that its runs did not log, with the number of these runs. */
  missingMetrics: viewing.input(z.strictObject({ sweepId: z.string() })).query(async ({ ctx, input: { sweepId } }) => {
    const missing = await readMissingMetrics(ctx.database.pool, { sweepIds: [sweepId] });
    return missing.map(({ text, numRuns }) => ({ text, numRuns }));
  }),

  /** Lists runs of added seeds that were cancelled again. No grid or count includes them. */
  takenBack: viewing
    .input(z.strictObject({ sweepId: z.string() }))
    .query(({ ctx, input }) => runs.readTakenBack(ctx.database, input.sweepId)),

  byId: viewing.input(ById).query(async ({ ctx, input }) => {
    const run = await runs.readRun(ctx.database, input.id);
    return { ...run, cell: { ...run.cell, label: shortLabel(run.cell.label) } };
  }),

  /** Returns the runs from which a run branched, and all runs that branched from it or from these ancestors. */
  family: viewing
    .input(ById)
    .query(async ({ ctx, input }) =>
      (await readFamily(ctx.database, input.id)).map((one) => ({ ...one, label: shortLabel(one.label) })),
    ),

  /**
   * Lists iterations whose training state is stored on this machine. A branch from another iteration first trains the
   * run again up to that iteration.
   */
  keptStates: viewing
    .input(ById)
    .query(async ({ ctx, input }) => listKept(await runs.readAttemptFolders(ctx.database, input.id))),

  /** Compares the run's stored data with its log files. It runs only on request, because it reads the logs again. */
  integrity: viewing.input(ById).query(({ ctx, input, signal }) => ctx.analyst.ask("integrity", input, signal)),

  log: viewing
    .input(
      z.strictObject({
        id: z.string(),
        attempt: Int4.min(1),
        file: z.enum(["stdout", "stderr", "events"]),
        maxBytes: z.int().min(1).max(1_000_000).default(32_000),
      }),
    )
    .query(async ({ ctx, input }) =>
      readTail(await runs.readAttemptFolder(ctx.database, input.id, input.attempt), input.file, input.maxBytes),
    ),

  episodes: viewing.input(ById).query(({ ctx, input, signal }) => ctx.analyst.ask("episodes", input, signal)),

  episode: viewing
    .input(z.strictObject({ id: z.string(), attempt: Int4.min(1), line: Int4 }))
    .query(({ ctx, input, signal }) => ctx.analyst.ask("episode", input, signal)),

  /** Lists the training groups that the run kept, by iteration. */
  groups: viewing.input(ById).query(({ ctx, input, signal }) => ctx.analyst.ask("groups", input, signal)),

  /** Returns a training group with the numbers of every token; null: not recorded. */
  group: viewing
    .input(z.strictObject({ id: z.string(), attempt: Int4.min(1), iteration: Int4.min(0), group: Int4.min(0) }))
    .query(({ ctx, input, signal }) => ctx.analyst.ask("group", input, signal)),

  /** Lists the run's files for download, from `/api/runs/RUN/files/NAME`. */
  artifacts: viewing.input(ById).query(async ({ ctx, input }) => {
    const found = await findArtifacts(await runs.readAttemptFolders(ctx.database, input.id));
    return found.map(({ name, sizeBytes, attempt }) => ({ name, sizeBytes, attempt }));
  }),

  /**
   * Lists artifacts that the run's program uploaded: the first 200 by path, for download from
   * `/api/runs/RUN/artifacts/PATH`.
   */
  trackedArtifacts: viewing
    .input(ById)
    .query(async ({ ctx, input }) => listTrackedArtifacts(await runs.readAttemptFolders(ctx.database, input.id), 200)),

  /** Cancels a run. `undoSeconds`: time in which the cancellation can be undone; then the run is stopped. */
  cancel: changing
    .input(ById.extend({ undoSeconds: UndoSeconds }))
    .mutation(({ ctx, input: { id, undoSeconds } }) =>
      cancel(ctx.database, { kind: "run", id }, { by: nameCaller(ctx.caller), undoSeconds }),
    ),

  takeBackCancel: changing
    .input(ById)
    .mutation(({ ctx, input: { id } }) => takeBackCancel(ctx.database, { kind: "run", id })),

  /**
   * Ends a run reported by an external program that no longer exists, as `failed` or, if training was complete,
   * `finished`.
   */
  end: changing
    .input(ById.extend({ as: z.enum(["failed", "finished"]).default("failed") }))
    .mutation(({ ctx, input: { id, as } }) => endTrackedRun(ctx.database, id, { as, by: nameCaller(ctx.caller) })),

  retry: changing.input(ById).mutation(({ ctx, input }) => runs.retryRun(ctx.database, input.id)),
});
