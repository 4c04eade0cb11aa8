import { randomUUID } from "node:crypto";
import { tracked } from "@trpc/server";
import { z } from "zod";
import { readConfig } from "#server/config/config.ts";
import { readModelFolders } from "#server/config/models.ts";
import { addTrial } from "#server/db/plan/addTrial.ts";
import { cancel, takeBackCancel } from "#server/db/fleet/cancellations.ts";
import { pinBaseline } from "#server/db/plan/cells.ts";
import { maxTrials, setSpace, setTrials } from "#server/db/plan/searchLimits.ts";
import { readOrigin } from "#server/db/plan/origins.ts";
import type { Database } from "#server/db/storage/client.ts";
import { deleteSweepView, readSweepViews, saveSweepView } from "#server/db/plan/sweepViews.ts";
import * as sweeps from "#server/db/plan/sweeps.ts";
import { readStoppedRuns } from "#server/db/plan/stopping.ts";
import { readUsedModels } from "#server/db/plan/planned.ts";
import { readTrainers } from "#server/config/yamlFile.ts";
import { listTrainers } from "#packages/trainers";
import { Parameter } from "#server/domain/plan/search/space.ts";
import { accountOf } from "#server/domain/plan/stopping/stopping.ts";
import { rescueArms } from "#server/domain/plan/rescue/rescueRule.ts";
import { askAbove } from "#server/domain/plan/sweep/confirmed.ts";
import { AxisValue } from "#server/domain/plan/sweep/schema.ts";
import { SweepPlan, toYaml } from "#server/domain/plan/sweep/plan.ts";
import { listModels, type ModelFolders } from "#server/engine/models/modelFolders.ts";
import { refuseFolders } from "#server/engine/models/modelReader.ts";
import { fetchPlanned } from "#server/engine/wheels/fetchPackages.ts";
import { readPlannedPace } from "../fleet/costs.ts";
import { readPresets } from "./presets.ts";
import { isHolder, nameCaller, personOf, type Caller } from "../people/caller.ts";
import { changing, router, viewing, Int4, UndoSeconds } from "../trpc.ts";

const viewName = z.string().trim().min(1).max(100);
const ById = z.strictObject({ id: z.string() });
const Rescue = z.strictObject({
  run: z.string(),
  iterations: z
    .array(z.int().min(0).max(1_000_000))
    .min(1)
    .max(10)
    .describe("Iterations after which branches begin. Each iteration gives a separate sweep of branches."),
  continuations: z.int().min(1).max(1000).default(5),
  arms: z.array(z.enum(rescueArms)).min(1).optional().describe("Changes that the branches try. Absent: all changes."),
});

export const sweepRouter = router({
  list: viewing.query(({ ctx }) => sweeps.listSweeps(ctx.database)),

  byId: viewing.input(ById).query(({ ctx, input }) => sweeps.readSweep(ctx.database, input.id)),

  /** Plan as a file from which it can be launched again; null for runs of other trainers. */
  file: viewing.input(ById).query(async ({ ctx, input }) => {
    const { plan } = await sweeps.readSweep(ctx.database, input.id);
    return plan ? toYaml(plan) : null;
  }),

  /** Saved views of the sweep's charts. */
  views: viewing.input(ById).query(({ ctx, input }) => readSweepViews(ctx.database, input.id)),

  /** Sets the number of trials per method and environment. If more have begun already, no further trial starts. */
  setTrials: changing
    .input(ById.extend({ trials: z.int().min(1).max(maxTrials) }))
    .mutation(({ ctx, input }) => setTrials(ctx.database, input.id, input.trials)),

  /** Extends the space of a search: its parameters stay the same, with wider bounds or more choices. */
  setSpace: changing.input(ById.extend({ space: z.record(z.string(), Parameter) })).mutation(async ({ ctx, input }) => {
    await refuseFolders(input.space, "space", () => modelFoldersOf(ctx.caller));
    return setSpace(ctx.database, input.id, input.space);
  }),

  /**
   * Adds a trial to a search with an external sampler. Another program proposes the trial and reads its result from
   * `search`.
   */
  addTrial: changing
    .input(
      ById.extend({
        configuration: z
          .int()
          .min(0)
          .default(0)
          .describe("Index of the searched configuration, in the order of `search`."),
        arm: z.int().min(0).optional().describe("Former name of `configuration`, which the next version refuses."),
        point: z
          .record(z.string(), z.union([z.number(), z.string().max(60), z.boolean(), z.null()]))
          .describe("Value by setting path, within the plan's search space."),
        reason: z.string().trim().min(1).max(200).default("another program drew it"),
      }),
    )
    .mutation(async ({ ctx, input: { id, arm, configuration, ...asked } }) => ({
      number: await addTrial(ctx.database, id, { ...asked, configuration: arm ?? configuration }),
    })),

  saveView: changing
    .input(ById.extend({ name: viewName, query: z.string().max(10_000) }))
    .mutation(({ ctx, input: { id, ...view } }) => saveSweepView(ctx.database, id, view)),

  deleteView: changing
    .input(ById.extend({ name: viewName }))
    .mutation(({ ctx, input }) => deleteSweepView(ctx.database, input.id, input.name)),

  /** Slot time done and time left as the plan of a launched sweep estimates them; null if the speed is unknown. */
  plannedPace: viewing.input(ById).query(({ ctx, input }) => readPlannedPace(ctx.database, input.id)),

  /** Savings and costs of the sweep's early-stopping rule so far; null without a rule. */
  stopping: viewing.input(ById).query(async ({ ctx, input }) => {
    const rule = (await sweeps.readSweep(ctx.database, input.id)).plan?.stopping;
    return rule ? { rule, account: accountOf(await readStoppedRuns(ctx.database.pool, input.id)) } : null;
  }),

  /** Report of the sweep's search: trials, best settings, stopped trials and savings; null without a search. */
  search: viewing.input(ById).query(({ ctx, input, signal }) => ctx.analyst.ask("search", input, signal)),

  /**
   * Result of the sweep so far, as a sentence and as a value with its interval per configuration. `baseline`: cell to
   * compare with; null: none; absent: the pinned one.
   */
  headline: viewing
    .input(ById.extend({ baseline: Int4.nullable().exactOptional() }))
    .query(({ ctx, input, signal }) => ctx.analyst.ask("headline", input, signal)),

  /** Pins a cell as baseline; null unpins it. */
  pinBaseline: changing
    .input(ById.extend({ cellId: Int4.nullable() }))
    .mutation(({ ctx, input }) => pinBaseline(ctx.database, input.id, input.cellId)),

  presets: viewing.query(() => readPresets()),

  /** Trainers in the administrator's file, each with the options that a sweep may set. */
  trainers: viewing.query(() => listTrainers(readTrainers(readConfig().home))),

  /** Pretrained models used by earlier sweeps (last used first), and models in this machine's hub cache. */
  models: viewing.query(async ({ ctx }) => listModels(await readUsedModels(ctx.database))),

  /**
   * Previews a plan without changing anything. For cells of other trainers (up to 1,000): commands and rejections. For
   * all cells: sizes and memory of pretrained models, if this machine can read them. It is a mutation only because a
   * plan is too long for a URL.
   */
  preview: viewing
    .input(SweepPlan)
    .mutation(({ ctx, input, signal }) => ctx.analyst.ask("preview", { plan: input, ...byOf(ctx.caller) }, signal)),

  create: changing.input(SweepPlan).mutation(async ({ ctx, input }) => {
    await fetchPlanned(readConfig().home, input.environments);
    return ctx.analyst.ask("launch", { plan: input, ...launchOf(ctx.caller) });
  }),

  /** Creates a sweep of runs that branch from a run, or that start with its policy. */
  branch: changing
    .input(
      z.strictObject({
        run: z.string(),
        kind: z
          .enum(["branch", "run"])
          .default("branch")
          .describe("branch: continue the whole state of the run; run: start with its policy only."),
        iteration: z.int().min(0).max(1_000_000),
        continuations: z.int().min(1).max(1000).default(1),
        changes: z
          .record(z.string().max(200), z.array(AxisValue).min(1).max(100))
          .default({})
          .describe("Values by setting path; several values give several configurations."),
      }),
    )
    .mutation(async ({ ctx, input: { run, ...request } }) => {
      await fetchOfOrigin(ctx.database, run);
      return ctx.analyst.ask("branch", { run, request, ...launchOf(ctx.caller) });
    }),

  /** Runs of a rescue experiment, the iterations that they train, and the changes that the run can have. */
  rescueSize: viewing.input(Rescue).query(({ ctx, input, signal }) => ctx.analyst.ask("rescueSize", input, signal)),

  /** Creates the sweeps of a rescue experiment: a run's branches, unchanged and with one change each. */
  rescue: changing
    .input(
      Rescue.extend({
        numRuns: Int4.exactOptional().describe(
          `Number of runs that the request starts, as rescueSize returns it. Required above ${askAbove}.`,
        ),
      }),
    )
    .mutation(async ({ ctx, input }) => {
      await fetchOfOrigin(ctx.database, input.run);
      return ctx.analyst.ask("rescueLaunch", { ...input, ...launchOf(ctx.caller) });
    }),

  /** Runs that the rules of an imported sweep's plan (rescue, search) would start if a person let them act. */
  restingRules: viewing.input(ById).query(({ ctx, input, signal }) => ctx.analyst.ask("restingRules", input, signal)),

  /** Lets the rules of an imported sweep's plan act, as if the sweep had been launched here. */
  letRulesAct: changing
    .input(ById.extend({ numRuns: Int4.describe("Number of runs that may start, as restingRules returns it.") }))
    .mutation(({ ctx, input }) => ctx.analyst.ask("rulesLaunch", input)),

  pause: changing.input(ById).mutation(({ ctx, input }) => sweeps.setSweepIntent(ctx.database, input.id, "pause")),

  resume: changing.input(ById).mutation(({ ctx, input }) => sweeps.setSweepIntent(ctx.database, input.id, "run")),

  /** Cancels a sweep: its runs are stopped after `undoSeconds`, in which the cancellation can be undone. */
  cancel: changing
    .input(ById.extend({ undoSeconds: UndoSeconds }))
    .mutation(({ ctx, input: { id, undoSeconds } }) =>
      cancel(ctx.database, { kind: "sweep", id }, { by: nameCaller(ctx.caller), undoSeconds }),
    ),

  takeBackCancel: changing
    .input(ById)
    .mutation(({ ctx, input: { id } }) => takeBackCancel(ctx.database, { kind: "sweep", id })),

  retry: changing
    .input(ById)
    .mutation(async ({ ctx, input }) => ({ numRuns: await sweeps.retryRuns(ctx.database, input.id) })),

  delete: changing.input(ById).mutation(({ ctx, input }) => sweeps.deleteSweep(ctx.database, input.id)),

  /**
   * Reports changes of sweeps and of their runs' states: of one sweep, also its new points, or of all sweeps. The
   * first event is immediate, so that a page that reconnects fetches again what it may have missed.
   */
  onChange: viewing.input(z.strictObject({ sweepId: z.string().optional() })).subscription(async function* ({
    ctx,
    input,
    signal,
  }) {
    let count = 0;
    yield tracked(String(count), { kind: "all" as const, sweepId: input.sweepId ?? null, runId: null });
    for await (const news of ctx.notifications.subscribe(signal)) {
      count += 1;
      if (!news) yield tracked(String(count), { kind: "all" as const, sweepId: input.sweepId ?? null, runId: null });
      else if (input.sweepId === undefined ? news.kind !== "points" : news.sweepId === input.sweepId) {
        yield tracked(String(count), { kind: news.kind, sweepId: news.sweepId, runId: news.runId ?? null });
      }
    }
  }),
});

function byOf(caller: Caller) {
  return { mayReadAnywhere: isHolder(caller) };
}

function launchOf(caller: Caller) {
  return { ...byOf(caller), launchedBy: personOf(caller)?.name, launchId: randomUUID() };
}

/** Downloads the Python packages of a run's environment, before runs that continue it are created. */
async function fetchOfOrigin(database: Database, run: string): Promise<void> {
  const { spec } = await readOrigin(database, run);
  await fetchPlanned(readConfig().home, [spec.environment]);
}

/** Returns the folders from which a caller may load models: for the installation's owner, any folder. */
function modelFoldersOf(caller: Caller): ModelFolders {
  return isHolder(caller) ? "any" : readModelFolders(readConfig().home);
}
