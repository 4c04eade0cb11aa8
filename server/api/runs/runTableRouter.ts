import { z } from "zod";
import { cancel } from "#server/db/fleet/cancellations.ts";
import { nameCaller } from "../people/caller.ts";
import { retryRun } from "#server/db/runs/runs.ts";
import { deleteRunView, readRunViews, saveRunView } from "#server/db/runs/runViews.ts";
import { readUndetected } from "#server/db/analysis/detections.ts";
import { countUnsummarised } from "#server/db/runs/runSummaries.ts";
import type { Database } from "#server/db/storage/client.ts";
import { readFields } from "#server/db/runs/table/catalogue.ts";
import { writeMarks } from "#server/db/runs/marks.ts";
import { deleteRuns } from "#server/db/runs/table/deleteRuns.ts";
import { methodForms } from "#server/domain/analysis/hyperparameters/prepareStudy.ts";
import { dependentChoices } from "#server/domain/plan/sweep/dependence.ts";
import { Marking } from "#server/domain/runs/marks.ts";
import { RunScope, RunView } from "#server/domain/runs/table/scope.ts";
import { AppError } from "#packages/base";
import { maxSelected, readRunGroups, readRunIdsOf, readRunTable, readValuesOf } from "./runTable.ts";
import { changing, viewing, router, Int4 } from "../trpc.ts";

/** Result of an action on many runs: number of successes, and runs for which it was refused, with the reasons. */
type Acted = { numDone: number; refused: { id: string; message: string }[] };

/** Performs an action on each run. A refusal for one run is reported and does not affect the other runs. */
async function actOnRuns(ids: readonly string[], act: (id: string) => Promise<void>): Promise<Acted> {
  const refused: Acted["refused"] = [];
  for (const id of ids) {
    try {
      await act(id);
    } catch (error) {
      if (!(error instanceof AppError) || error.code === "internal") throw error;
      refused.push({ id, message: error.message });
    }
  }
  return { numDone: ids.length - refused.length, refused };
}

/** Maximum number of runs without a label that are counted, because the page only needs to see the number fall. */
const maxUnlabelled = 1000;

async function countBehind({ pool }: Pick<Database, "pool">): Promise<number> {
  const [numUnsummarised, unlabelled] = await Promise.all([
    countUnsummarised(pool),
    readUndetected(pool, maxUnlabelled),
  ]);
  return Math.max(numUnsummarised, unlabelled.length);
}

const column = z.string().max(300);
const Studied = z.strictObject({
  scope: RunScope,
  columns: z.array(column).max(8),
  /** Branches, starts and search trials, left out by default. */
  dependent: z.enum(dependentChoices).optional(),
});
const ids = z.array(z.string().max(200)).min(1).max(maxSelected);
const ByIds = z.strictObject({ ids });
const name = z.string().trim().min(1).max(100);

export const runTableRouter = router({
  fields: viewing.query(({ ctx }) => readFields(ctx.database.pool)),

  rows: viewing
    .input(RunView.omit({ groupBy: true }).extend({ offset: Int4, limit: z.int().min(1).max(500) }))
    .query(({ ctx, input }) => readRunTable(ctx.database, input)),

  /** Counts runs whose stored summaries or labels are outdated and will be recomputed. */
  numBehind: viewing.query(({ ctx }) => countBehind(ctx.database)),

  groups: viewing.input(RunView).query(({ ctx, input }) => readRunGroups(ctx.database, input)),

  ids: viewing
    .input(RunView.pick({ filter: true, order: true }))
    .query(({ ctx, input }) => readRunIdsOf(ctx.database, input)),

  values: viewing
    .input(z.strictObject({ field: z.string().max(300), text: z.string().max(200) }))
    .query(({ ctx, input }) => readValuesOf(ctx.database, input)),

  /** Returns the settings that vary between some runs, and the runs' outcomes. */
  study: viewing.input(Studied).query(({ ctx, input, signal }) => ctx.analyst.ask("runStudy", input, signal)),

  /** Returns the importance of each varying setting for an outcome, and a ranking of the configurations. */
  importance: viewing
    .input(Studied.extend({ outcome: column, form: z.enum(methodForms) }))
    .query(({ ctx, input, signal }) => ctx.analyst.ask("importance", input, signal)),

  mark: changing.input(ByIds.extend(Marking.shape)).mutation(async ({ ctx, input: { ids, ...marks } }) => ({
    numRuns: await writeMarks(ctx.database.pool, { kind: "run", ids }, marks),
  })),

  retry: changing.input(ByIds).mutation(({ ctx, input }) => actOnRuns(input.ids, (id) => retryRun(ctx.database, id))),

  cancel: changing
    .input(ByIds)
    .mutation(({ ctx, input }) =>
      actOnRuns(input.ids, (id) => cancel(ctx.database, { kind: "run", id }, { by: nameCaller(ctx.caller) })),
    ),

  delete: changing
    .input(ByIds)
    .mutation(async ({ ctx, input }) => ({ numRuns: await deleteRuns(ctx.database.pool, input.ids) })),

  views: viewing.query(({ ctx }) => readRunViews(ctx.database)),

  saveView: changing
    .input(z.strictObject({ name, query: z.string().max(10_000) }))
    .mutation(({ ctx, input }) => saveRunView(ctx.database, input.name, input.query)),

  deleteView: changing
    .input(z.strictObject({ name }))
    .mutation(({ ctx, input }) => deleteRunView(ctx.database, input.name)),
});
