import { readHealth } from "#server/db/fleet/leadership.ts";
import { readNodes } from "#server/db/fleet/nodes.ts";
import { askForChecks } from "#server/db/fleet/nodeChecks.ts";
import { z } from "zod";
import { changing, router, viewing } from "../trpc.ts";

export const nodesRouter = router({
  list: viewing.query(({ ctx }) => readNodes(ctx.database)),

  /** Requests a small job on a node, which finds out what a run would find there. */
  check: changing
    .input(z.strictObject({ name: z.string().max(200) }))
    .mutation(async ({ ctx, input }) => void (await askForChecks(ctx.database, input.name))),
});

export const systemRouter = router({
  health: viewing.query(({ ctx }) => readHealth(ctx.database)),
});
