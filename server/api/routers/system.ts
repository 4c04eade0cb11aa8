import { readHealth } from "#server/db/heartbeat.ts";
import { protectedProcedure, router } from "../trpc.ts";

export const systemRouter = router({
  health: protectedProcedure.query(({ ctx }) => readHealth(ctx.database)),
});
