import { environmentRouter } from "./environment.ts";
import { nodesRouter } from "./nodes.ts";
import { policyRouter } from "./policy.ts";
import { runRouter } from "./run.ts";
import { seriesRouter } from "./series.ts";
import { stabilityRouter } from "./stability.ts";
import { sweepRouter } from "./sweep.ts";
import { systemRouter } from "./system.ts";
import { tableRouter } from "./table.ts";
import { createCallerFactory, router } from "./trpc.ts";

/** Every procedure of the product, one router per noun. */
export const appRouter = router({
  environment: environmentRouter,
  nodes: nodesRouter,
  policy: policyRouter,
  run: runRouter,
  series: seriesRouter,
  stability: stabilityRouter,
  sweep: sweepRouter,
  system: systemRouter,
  table: tableRouter,
});
export type AppRouter = typeof appRouter;

/** @testing */
export const createCaller = createCallerFactory(appRouter);
