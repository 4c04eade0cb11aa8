import { z } from "zod";
import { resolveMethod } from "#server/domain/plan/sweep/methodChoice.ts";
import type { SweepPlan } from "#server/domain/plan/sweep/schema.ts";

/** A cell to launch beside a sweep: optional method label, settings by path, number of seeds. */
export const PlannedCell = z.strictObject({
  method: z.string().max(100).optional(),
  settings: z.record(z.string().max(300), z.union([z.number(), z.string().max(60)])),
  /** Number of new seeds, from the first one that no run of the sweep used. */
  newSeeds: z.int().min(1).max(1000).optional(),
});
export type PlannedCell = z.infer<typeof PlannedCell>;

/** True where the settings are axes of this plan, so that a sweep of it could have the cell. */
export function canPlan(plan: SweepPlan, settings: PlannedCell["settings"]): boolean {
  return Object.keys(settings).every((path) => path in plan.axes);
}

/** The plan reduced to one cell of its axes; with all its methods if none is named or the name is unknown. */
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
