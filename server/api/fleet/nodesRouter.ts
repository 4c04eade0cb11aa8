import { z } from "zod";
import { readHealth } from "#server/db/fleet/leadership.ts";
import * as nodes from "#server/db/fleet/nodes.ts";
import { explainUnplaceable } from "#server/domain/fleet/nodes/assign.ts";
import { lacksOf } from "#server/domain/fleet/nodes/providers.ts";
import { listSlots } from "#server/domain/fleet/nodes/slots.ts";
import { changing, router, viewing } from "../trpc.ts";

const maxMinutes = 60 * 24 * 365;

export const nodesRouter = router({
  list: viewing.query(({ ctx }) => nodes.readNodes(ctx.database)),

  queue: viewing.query(async ({ ctx }) => {
    const [queue, rows] = await Promise.all([nodes.readQueue(ctx.database), nodes.readNodes(ctx.database)]);
    const offers = rows.flatMap(({ node, isConfigured, machines }) => {
      const { name, labels, priority } = node;
      const slots = listSlots(node.slots);
      return isConfigured
        ? [
            {
              name,
              labels,
              priority,
              per: node.slots.per,
              slots,
              free: slots,
              isReachable: true,
              lacks: lacksOf(node, machines),
            },
          ]
        : [];
    });
    return queue.map((sweep) => {
      const { slotsPerRun, gpusPerRun, labels, providers } = sweep;
      const demand = { slots: slotsPerRun, gpus: gpusPerRun, labels, avoid: [], notBeforeMs: 0 };
      const problems = providers.flatMap((provider) => explainUnplaceable({ ...demand, provider }, offers) ?? []);
      return { ...sweep, problem: offers.length === 0 ? null : (problems[0] ?? null) };
    });
  }),

  prioritise: changing
    .input(
      z.strictObject({
        sweepId: z.string(),
        priority: z.union([z.literal("front"), z.int().min(-maxMinutes).max(maxMinutes)]),
      }),
    )
    .mutation(async ({ ctx, input }) => ({
      minutes: await nodes.setPriority(ctx.database, input.sweepId, input.priority),
    })),
});

export const systemRouter = router({
  health: viewing.query(({ ctx }) => readHealth(ctx.database)),
});
