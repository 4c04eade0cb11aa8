import { z } from "zod";
import { readQueue, setPriority } from "#server/db/fleet/queue.ts";
import { changing, router, viewing } from "../trpc.ts";

const maxMinutes = 60 * 24 * 365;

export const queueRouter = router({
  list: viewing.query(({ ctx }) => readQueue(ctx.database)),

  prioritise: changing
    .input(
      z.strictObject({
        sweepId: z.string(),
        priority: z.union([z.literal("front"), z.int().min(-maxMinutes).max(maxMinutes)]),
      }),
    )
    .mutation(async ({ ctx, input }) => ({
      minutes: await setPriority(ctx.database, input.sweepId, input.priority),
    })),
});
