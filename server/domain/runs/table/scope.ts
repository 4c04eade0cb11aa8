import { z } from "zod";

/** Maximum number of runs in an analysis; pages draw fewer of them individually. */
export const maxStudied = 5000;

/** Runs of an analysis: those of sweeps, some by id, or the result of a filter. */
export const RunScope = z.union([
  z.strictObject({ sweepIds: z.array(z.string().max(200)).min(1).max(20) }),
  z.strictObject({ runIds: z.array(z.string().max(200)).min(1).max(maxStudied) }),
  z.strictObject({ filter: z.string().max(2000) }),
]);
export type RunScope = z.infer<typeof RunScope>;

const key = z.string().min(1).max(300);

/** Fields by which rows or groups are sorted. */
export const Order = z.array(z.strictObject({ field: key, isDescending: z.boolean() })).max(4);
export type Order = z.infer<typeof Order>;

/** View of the table of runs, without column widths. */
export const RunView = z.strictObject({
  filter: z.string().max(2000),
  columns: z.array(key).max(60),
  order: Order,
  /** Fields whose equal values form a group; if empty, each row is a run. */
  groupBy: z.array(key).max(4),
});
export type RunView = z.infer<typeof RunView>;
