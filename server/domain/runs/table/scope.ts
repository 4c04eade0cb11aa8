import { z } from "zod";
import { maxSweepsTogether } from "#server/domain/plan/sweep/maxSweeps.ts";

/** Maximum number of runs in an analysis; charts draw only some of them individually. */
export const maxStudied = 5000;

/** Runs of an analysis: all runs of some sweeps, runs given by id, or runs that match a filter. */
export const RunScope = z.union([
  z.strictObject({ sweepIds: z.array(z.string().max(200)).min(1).max(maxSweepsTogether) }),
  z.strictObject({ runIds: z.array(z.string().max(200)).min(1).max(maxStudied) }),
  z.strictObject({ filter: z.string().max(2000) }),
]);
export type RunScope = z.infer<typeof RunScope>;

const key = z.string().min(1).max(300);

export const Order = z.array(z.strictObject({ field: key, isDescending: z.boolean() })).max(4);
export type Order = z.infer<typeof Order>;

/** View of the table of runs (filter, grouping, order and columns), without the widths of columns. */
export const RunView = z.strictObject({
  filter: z.string().max(2000),
  columns: z.array(key).max(60),
  order: Order,
  /** Fields by which runs are grouped: equal values form a group. If empty, each row is a run. */
  groupBy: z.array(key).max(4),
});
export type RunView = z.infer<typeof RunView>;
