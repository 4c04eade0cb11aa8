import { readHealth } from "#server/db/fleet/leadership.ts";
import { viewing, router } from "../trpc.ts";

export const systemRouter = router({
  health: viewing.query(({ ctx }) => readHealth(ctx.database)),
});
