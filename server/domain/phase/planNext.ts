import { z } from "zod";
import { resolveMethod } from "#server/domain/sweep/methodChoice.ts";
import type { SweepPlan } from "#server/domain/sweep/schema.ts";

/** A cell to launch beside a sweep: the method's label if one is meant, settings by their paths, seeds. */
export const PlannedCell = z.strictObject({
  method: z.string().max(100).optional(),
  settings: z.record(z.string().max(300), z.union([z.number(), z.string().max(60)])),
  /** So many seeds, from the first that no run of the sweep had. */
  newSeeds: z.int().min(1).max(1000).optional(),
});
export type PlannedCell = z.infer<typeof PlannedCell>;

/** Whether a sweep of this plan could have such a cell: its settings are axes there. */
export function canPlan(plan: SweepPlan, settings: PlannedCell["settings"]): boolean {
  return Object.keys(settings).every((path) => path in plan.axes);
}

/** The same sweep with this one cell of its axes; all its methods where none is meant or it has no such name. */
export function planNext(plan: SweepPlan, { method, settings, newSeeds }: PlannedCell): SweepPlan {
  const one = plan.methods.find((choice) => resolveMethod(choice).label === method);
  const { grid, ...rest } = plan;
  const single = Object.fromEntries(Object.entries(settings).map(([path, value]) => [path, [value]]));
  const firstFree = Math.max(...plan.seeds) + 1;
  return {
    ...rest,
    ...(!one && grid && { grid }),
    ...(one && { methods: [one] }),
    name: `${plan.name}, next cell`.slice(0, 100),
    axes: { ...plan.axes, ...single },
    ...(newSeeds !== undefined && { seeds: Array.from({ length: newSeeds }, (_, i) => firstFree + i) }),
  };
}
