import { sweepRouter } from "./sweep.ts";
import { systemRouter } from "./system.ts";
import { createCallerFactory, router } from "./trpc.ts";

/** Every procedure of the product, one router per noun. */
export const appRouter = router({
  sweep: sweepRouter,
  system: systemRouter,
});
export type AppRouter = typeof appRouter;

export const createCaller = createCallerFactory(appRouter);
