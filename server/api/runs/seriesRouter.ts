import { tracked } from "@trpc/server";
import { z } from "zod";
import type { Database } from "#server/db/storage/client.ts";
import { readKeys } from "#server/db/runs/points.ts";
import { readRunIds, readRuns } from "#server/db/runs/runs.ts";
import { readReferences } from "#server/db/runs/references.ts";
import { readRestarts, readSuperseded } from "#server/db/runs/superseded.ts";
import { aggregates } from "#server/domain/runs/series/chartData.ts";
import { makeGhosts } from "#server/domain/runs/series/ghosts.ts";
import { followCharts } from "./followCharts.ts";
import { viewing, router, Int4 } from "../trpc.ts";

/** Scope of charts: sweeps (all or some of their cells), a single run, or some runs. */
const Scope = z.union([
  z.strictObject({
    sweepIds: z.array(z.string()).min(1).max(20),
    /** If given, only these cells of the sweeps are included. */
    cellIds: z.array(Int4).max(200).exactOptional(),
  }),
  z.strictObject({ runId: z.string() }),
  z.strictObject({ runIds: z.array(z.string()).min(1).max(50) }),
]);

const Selection = z.strictObject({
  scope: Scope,
  /** Metric names have no length limit, because trainers choose the names. */
  keys: z.array(z.string()).max(500),
  /** Kind of summary over the seeds of a configuration. */
  aggregate: z.enum(aggregates),
  /** True to add lines of single runs to the bands. */
  seeds: z.boolean(),
  /** Displayed iterations, both ends included, over which the points of downsampled lines are distributed. */
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

/** Curves, downsampled and with live updates: bands over seeds, and lines of single runs. */
export const seriesRouter = router({
  keys: viewing.input(z.strictObject({ scope: Scope })).query(async ({ ctx, input }) => {
    const runs = await readRuns(ctx.database, input.scope);
    return readKeys(
      ctx.database.pool,
      runs.map((run) => run.id),
    );
  }),

  charts: viewing
    .input(Selection)
    .query(({ ctx, input, signal }) => ctx.analyst.ask("charts", toSelection(input), signal)),

  /** Progress of runs and configurations at each iteration, for charts over other x-axes. */
  progress: viewing
    .input(z.strictObject({ scope: Scope, axis: z.enum(["step", "tokens", "episodes", "time"]) }))
    .query(({ ctx, input, signal }) => ctx.analyst.ask("progress", input, signal)),

  /** Fields, besides the method, that distinguish these configurations. */
  fields: viewing
    .input(z.strictObject({ scope: Scope }))
    .query(({ ctx, input, signal }) => ctx.analyst.ask("fields", input, signal)),

  /** Iterations at which attempts other than the first began. */
  restarts: viewing
    .input(z.strictObject({ scope: Scope }))
    .query(async ({ ctx, input }) => readRestarts(ctx.database.pool, await listRunIds(ctx.database, input.scope))),

  /** Final values of these sweeps' baselines: the pinned baselines, or a chosen cell. Null: no baseline. */
  references: viewing
    .input(Selection.pick({ scope: true, keys: true }).extend({ baseline: Int4.nullable().exactOptional() }))
    .query(async ({ ctx, input: { scope, keys, baseline } }) =>
      baseline === null ? [] : readReferences(ctx.database, scope, { keys, cellId: baseline }),
    ),

  /** Points of attempts that later attempts replaced. Statistics exclude them, and charts show them on request. */
  ghosts: viewing
    .input(Selection.omit({ seeds: true, aggregate: true }))
    .query(async ({ ctx, input: { scope, keys, range } }) => {
      const runIds = await listRunIds(ctx.database, scope);
      return makeGhosts(await readSuperseded(ctx.database.pool, { runIds, keys }), {
        maxPoints,
        range: toRange(range),
      });
    }),

  /** Live updates. Each event contains its cursor, so that a reader that reconnects neither misses nor repeats data. */
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
