import { z } from "zod";
import { maxSweepsTogether } from "#server/domain/plan/sweep/maxSweeps.ts";
import {
  judgeEvent,
  markSeen,
  maxEvents,
  readCollapseEvents,
  readNotices,
  verdicts,
} from "#server/db/analysis/collapseEvents.ts";
import { markChange, readExternalChanges, unmarkChange } from "#server/db/analysis/externalChanges.ts";
import { readDiagnoses } from "#server/db/runs/diagnoses.ts";
import { readStabilityFacts } from "#server/db/analysis/detections.ts";
import { detectorVersion } from "#packages/detector";
import { countUntaught } from "#server/db/analysis/untaught.ts";
import { changing, viewing, router, Int4 } from "../trpc.ts";

const BySweeps = z.strictObject({ sweepIds: z.array(z.string()).min(1).max(maxSweepsTogether) });

const Latest = { latest: z.int().min(1).max(maxEvents).exactOptional() };

export const stabilityRouter = router({
  /** Returns the detector's state of each run, without the table of the question `analysis.overview`. */
  runs: viewing.input(BySweeps).query(({ ctx, input, signal }) => ctx.analyst.ask("runStability", input, signal)),

  /** Returns the detector's events by iteration. `latest`: number of events, those with the latest iterations. */
  events: viewing
    .input(z.union([BySweeps.extend(Latest), z.strictObject({ runId: z.string(), ...Latest })]))
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

  /** Runs with alarms that nobody has dismissed, each with the same facts as on its page. */
  notices: viewing.query(async ({ ctx: { database } }) => {
    const { numUnseen, events } = await readNotices(database.pool, detectorVersion);
    const facts = await readStabilityFacts(database.pool, { runIds: events.map(({ runId }) => runId) });
    const factsOf = new Map(facts.map((one) => [one.runId, one]));
    return {
      numUnseen,
      events: events.flatMap((event) => {
        const known = factsOf.get(event.runId);
        return known ? [{ ...event, alarm: known.alarm, hindsight: known.hindsight }] : [];
      }),
    };
  }),

  markSeen: changing
    .input(z.strictObject({ upToId: Int4 }))
    .mutation(({ ctx, input }) => markSeen(ctx.database.pool, input.upToId)),

  /** Returns numbers that show for which optional analyses these sweeps have enough runs. */
  offers: viewing.input(BySweeps).query(({ ctx, input, signal }) => ctx.analyst.ask("offers", input, signal)),

  /** Returns alarm and hindsight label of the runs of sweeps, or of one run. */
  standings: viewing
    .input(z.union([BySweeps, z.strictObject({ sweepId: z.string() }), z.strictObject({ runId: z.string() })]))
    .query(({ ctx, input }) =>
      readStabilityFacts(ctx.database.pool, "sweepId" in input ? { sweepIds: [input.sweepId] } : input),
    ),

  /** Returns why a run collapsed or, before its label, had an alarm: causes with evidence. Null for other runs. */
  diagnosis: viewing
    .input(z.strictObject({ runId: z.string() }))
    .query(async ({ ctx, input: { runId } }) => (await readDiagnoses(ctx.database.pool, [runId])).get(runId) ?? null),

  /** Returns the number of a sweep's runs that have had no success so far. */
  untaught: viewing.input(z.strictObject({ sweepId: z.string() })).query(async ({ ctx, input: { sweepId } }) => {
    const counts = await countUntaught(ctx.database.pool, [sweepId]);
    return counts.get(sweepId) ?? 0;
  }),

  /** Returns the outcomes of a run's branches, which show what would have prevented its collapse. */
  rescue: viewing
    .input(z.strictObject({ runId: z.string() }))
    .query(({ ctx, input, signal }) => ctx.analyst.ask("rescueOfRun", input, signal)),

  replay: viewing
    .input(z.strictObject({ runId: z.string() }))
    .query(({ ctx, input, signal }) => ctx.analyst.ask("replay", input, signal)),
});
