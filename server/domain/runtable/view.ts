import { z } from "zod";

const key = z.string().min(1).max(300);

/** Columns of a field, in order, by which rows or groups are sorted. */
export const Order = z.array(z.strictObject({ field: key, isDescending: z.boolean() })).max(4);
export type Order = z.infer<typeof Order>;

/** What the table shows, apart from how wide its columns are. */
export const RunView = z.strictObject({
  filter: z.string().max(2000),
  columns: z.array(key).max(60),
  order: Order,
  /** Fields whose equal values make a group; none: run by run. */
  groupBy: z.array(key).max(4),
});
export type RunView = z.infer<typeof RunView>;
