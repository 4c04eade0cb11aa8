import { tracked } from "@trpc/server";
import { maxSweepsTogether } from "#server/domain/plan/sweep/maxSweeps.ts";
import { z } from "zod";
import type { Database } from "#server/db/storage/client.ts";
import { readKeys } from "#server/db/runs/points.ts";
import { readRunIds, readRuns } from "#server/db/runs/runs.ts";
import { readReferences } from "#server/db/runs/references.ts";
import { readRestarts } from "#server/db/runs/superseded.ts";
import { aggregates } from "#server/domain/runs/series/chartData.ts";
import { followCharts } from "./followCharts.ts";
import { chooseUsual } from "./usualMetric.ts";
import { viewing, router, Int4 } from "../trpc.ts";

/** Selection of runs for charts: sweeps (all or some of their cells), a single run, or some runs. */
const Scope = z.union([
  z.strictObject({
    sweepIds: z.array(z.string()).min(1).max(maxSweepsTogether),
    cellIds: z.array(Int4).max(200).exactOptional(),
  }),
  z.strictObject({ runId: z.string() }),
  z.strictObject({ runIds: z.array(z.string()).min(1).max(50) }),
]);

const Selection = z.strictObject({
  scope: Scope,
  /** Metric names have no length limit, because external trainers choose them. */
  keys: z.array(z.string()).max(500),
  aggregate: z.enum(aggregates),
  seeds: z.boolean(),
  /** First and last displayed iteration, between which the points of downsampled lines are spread. */
  range: z.array(Int4).length(2).nullable(),
});

/** Maximum number of points of a line: one per pixel of a wide chart. */
const maxPoints = 800;

function toSelection({ scope, keys, range, ...options }: z.infer<typeof Selection>) {
  return { scope, keys, options: { ...options, maxPoints, range: toRange(range) } };
}

function toRange(range: readonly number[] | null) {
  const [from = 0, to = 0] = range ?? [];
  return range && { from, to };
}

export const seriesRouter = router({
  /** Lists the logged metrics: first the one that sums up the runs, then the others by name. */
  keys: viewing.input(z.strictObject({ scope: Scope })).query(async ({ ctx, input }) => {
    const runIds = (await readRuns(ctx.database, input.scope)).map(({ id }) => id);
    const keys = await readKeys(ctx.database.pool, runIds);
    const first = await chooseUsual(ctx.database, runIds, keys);
    return keys.toSorted((a, b) => Number(b === first) - Number(a === first));
  }),

  charts: viewing
    .input(Selection)
    .query(({ ctx, input, signal }) => ctx.analyst.ask("charts", toSelection(input), signal)),

  /** Returns how far runs and configurations had come at each iteration, for charts over tokens, episodes or time. */
  progress: viewing
    .input(z.strictObject({ scope: Scope, axis: z.enum(["step", "tokens", "episodes", "time"]) }))
    .query(({ ctx, input, signal }) => ctx.analyst.ask("progress", input, signal)),

  /** Returns the settings, besides the method, that distinguish these configurations. */
  fields: viewing
    .input(z.strictObject({ scope: Scope }))
    .query(({ ctx, input, signal }) => ctx.analyst.ask("fields", input, signal)),

  /** Returns the iterations at which a run was restarted (all attempts except the first). */
  restarts: viewing
    .input(z.strictObject({ scope: Scope }))
    .query(async ({ ctx, input }) => readRestarts(ctx.database.pool, await listRunIds(ctx.database, input.scope))),

  /** Returns final values of these sweeps' baseline cells, or of a chosen cell; `baseline: null` means no baseline. */
  references: viewing
    .input(Selection.pick({ scope: true, keys: true }).extend({ baseline: Int4.nullable().exactOptional() }))
    .query(async ({ ctx, input: { scope, keys, baseline } }) =>
      baseline === null ? [] : readReferences(ctx.database, scope, { keys, cellId: baseline }),
    ),

  /**
   * Returns points of attempts that later attempts replaced. Statistics exclude them, and charts show them on
   * request.
   */
  ghosts: viewing
    .input(Selection.omit({ seeds: true, aggregate: true }))
    .query(({ ctx, input: { scope, keys, range }, signal }) =>
      ctx.analyst.ask("ghosts", { scope, keys, options: { maxPoints, range: toRange(range) } }, signal),
    ),

  /** Streams chart updates with the reader's position, so that reconnecting neither misses nor repeats data. */
  live: viewing
    .input(Selection.extend({ cursor: z.string(), lastEventId: z.string().nullish() }))
    .subscription(async function* ({ ctx, input: { cursor, lastEventId, ...selection }, signal }) {
      const since = lastEventId ?? cursor;
      for await (const news of followCharts(ctx, { selection: toSelection(selection), since, signal })) {
        yield tracked(news.cursor === "" ? "0.0" : news.cursor, news);
      }
    }),
});

async function listRunIds(database: Database, scope: z.infer<typeof Scope>): Promise<string[]> {
  return (await readRunIds(database, scope)).flatMap(({ runIds }) => runIds);
}
