import { z } from "zod";
import { judgeEvent, markSeen, readCollapseEvents, readNotices, verdicts } from "#server/db/analysis/collapseEvents.ts";
import { markChange, readExternalChanges, unmarkChange } from "#server/db/analysis/externalChanges.ts";
import { readStabilityFacts } from "#server/db/analysis/detections.ts";
import { detectorVersion, halves } from "#packages/detector";
import { dependentChoices } from "#server/domain/plan/sweep/dependence.ts";
import { groupings } from "#server/domain/analysis/stability/grouping.ts";
import { transferMeasures } from "#server/domain/publish/tables/transferTable.ts";
import { countUntaught } from "#server/db/analysis/untaught.ts";
import { changing, viewing, router, Int4 } from "../trpc.ts";

const sweepIds = z.array(z.string()).min(1).max(20);
const BySweeps = z.strictObject({ sweepIds });

const dependent = z.enum(dependentChoices).optional();

/** Sweeps whose methods are analysed; `dependent`: branches, starts and search trials, left out by default. */
const ByMethods = BySweeps.extend({ dependent });

const Study = ByMethods.extend({ metric: z.string() });

const Column = z.string().max(300);

export const stabilityRouter = router({
  overview: viewing.input(BySweeps).query(({ ctx, input, signal }) => ctx.analyst.ask("overview", input, signal)),

  events: viewing
    .input(z.union([BySweeps, z.strictObject({ runId: z.string() })]))
    .query(({ ctx, input }) => readCollapseEvents(ctx.database.pool, input, detectorVersion)),

  judge: changing
    .input(z.strictObject({ id: Int4, verdict: z.enum(verdicts).nullable(), note: z.string().max(2000) }))
    .mutation(({ ctx, input }) => judgeEvent(ctx.database.pool, input)),

  /** Returns external changes during runs, marked by users or reported by logs. */
  changes: viewing
    .input(z.union([BySweeps, z.strictObject({ runId: z.string() })]))
    .query(({ ctx, input }) => readExternalChanges(ctx.database.pool, "runId" in input ? [input.runId] : input)),

  /** Marks an external change. A drop in success after the change does not count as a collapse. */
  markChange: changing
    .input(z.strictObject({ runId: z.string(), iteration: Int4.min(0), text: z.string().max(2000).default("") }))
    .mutation(({ ctx, input }) => markChange(ctx.database.pool, input)),

  unmarkChange: changing
    .input(z.strictObject({ id: Int4 }))
    .mutation(({ ctx, input }) => unmarkChange(ctx.database.pool, input.id)),

  notices: viewing.query(({ ctx }) => readNotices(ctx.database.pool, detectorVersion)),

  markSeen: changing
    .input(z.strictObject({ upToId: Int4 }))
    .mutation(({ ctx, input }) => markSeen(ctx.database.pool, input.upToId)),

  survival: viewing
    .input(ByMethods.extend({ by: z.enum(groupings), baseline: z.string().optional() }))
    .query(({ ctx, input, signal }) => ctx.analyst.ask("survival", input, signal)),

  /** Tests if groups of runs are equivalent to a baseline in final success. */
  equivalence: viewing
    .input(ByMethods.extend({ by: z.enum(groupings), baseline: z.string().optional() }))
    .query(({ ctx, input, signal }) => ctx.analyst.ask("equivalence", input, signal)),

  /** Estimates the effects of the sampler's staleness and precision on the hazard of collapse. */
  hazards: viewing.input(ByMethods).query(({ ctx, input, signal }) => ctx.analyst.ask("hazards", input, signal)),

  /** Compares the detector's frozen rules with baselines, separately for runs made after the freeze. */
  blind: viewing
    .input(
      z.strictObject({
        /** Sweeps whose runs are evaluated; null: the runs of all sweeps. */
        sweepIds: sweepIds.nullable(),
        rules: z.string().max(40).optional(),
        half: z.enum(halves),
      }),
    )
    .query(({ ctx, input, signal }) => ctx.analyst.ask("blind", input, signal)),

  /** Returns by setting which signals left their normal range before success fell. */
  climbs: viewing.input(BySweeps).query(({ ctx, input, signal }) => ctx.analyst.ask("climbs", input, signal)),

  /** Returns the accuracy with which effective sample sizes and divergences predict a collapse. */
  forecast: viewing.input(BySweeps).query(({ ctx, input, signal }) => ctx.analyst.ask("forecast", input, signal)),

  /**
   * Returns collapse rates over two settings, with the predicted boundary of collapse and the most informative next
   * cells.
   */
  phases: viewing
    .input(ByMethods.extend({ x: Column.optional(), y: Column.optional(), by: Column.optional() }))
    .query(({ ctx, input, signal }) => ctx.analyst.ask("phases", input, signal)),

  /**
   * Estimates the effects of the method's four dimensions on a metric's final window, and suggests the next cell to
   * try.
   */
  effects: viewing.input(Study).query(({ ctx, input, signal }) => ctx.analyst.ask("effects", input, signal)),

  /** Returns success after training and its change, by environment of training and environment of evaluation. */
  transfer: viewing
    .input(ByMethods.extend({ measure: z.enum(transferMeasures).default("successRate") }))
    .query(({ ctx, input, signal }) => ctx.analyst.ask("transfer", input, signal)),

  /** Tests the papers' claims on the runs of the chosen sweeps. */
  findings: viewing.input(Study).query(({ ctx, input, signal }) => ctx.analyst.ask("findings", input, signal)),

  /** Finds other sweeps that would decide claims left undecided by the chosen sweeps. */
  answering: viewing.input(Study).query(({ ctx, input, signal }) => ctx.analyst.ask("answering", input, signal)),

  /** Returns numbers that show for which optional analyses these sweeps have enough runs. */
  offers: viewing.input(BySweeps).query(({ ctx, input, signal }) => ctx.analyst.ask("offers", input, signal)),

  /** Returns alarm and hindsight label of the runs of sweeps, or of one run. */
  standings: viewing
    .input(z.union([BySweeps, z.strictObject({ sweepId: z.string() }), z.strictObject({ runId: z.string() })]))
    .query(({ ctx, input }) =>
      readStabilityFacts(ctx.database.pool, "sweepId" in input ? { sweepIds: [input.sweepId] } : input),
    ),

  /** Returns the number of a sweep's runs that have had no success so far. */
  untaught: viewing.input(z.strictObject({ sweepId: z.string() })).query(async ({ ctx, input: { sweepId } }) => {
    const counts = await countUntaught(ctx.database.pool, [sweepId]);
    return counts.get(sweepId) ?? 0;
  }),

  /** Returns the outcomes of a run's branches, which show what would have prevented its collapse. */
  rescue: viewing
    .input(z.strictObject({ runId: z.string() }))
    .query(({ ctx, input, signal }) => ctx.analyst.ask("rescue", input, signal)),

  /** Returns the outcomes of the branches in some sweeps, over all runs that they continue, with their table. */
  rescues: viewing.input(BySweeps).query(({ ctx, input, signal }) => ctx.analyst.ask("rescueTable", input, signal)),

  replay: viewing
    .input(z.strictObject({ runId: z.string() }))
    .query(({ ctx, input, signal }) => ctx.analyst.ask("replay", input, signal)),
});
