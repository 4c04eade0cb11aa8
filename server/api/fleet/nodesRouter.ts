import { readHealth } from "#server/db/fleet/leadership.ts";
import { readNodes } from "#server/db/fleet/nodes.ts";
import { router, viewing } from "../trpc.ts";

export const nodesRouter = router({
  list: viewing.query(({ ctx }) => readNodes(ctx.database)),
});

export const systemRouter = router({
  health: viewing.query(({ ctx }) => readHealth(ctx.database)),
});
