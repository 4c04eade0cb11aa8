import { z } from "zod";

/** More runs than a page draws one by one. */
export const mostStudied = 5000;

/** Which runs a study is about: those of sweeps, some by id, or what a filter of the run table finds. */
export const RunScope = z.union([
  z.strictObject({ sweepIds: z.array(z.string().max(200)).min(1).max(20) }),
  z.strictObject({ runIds: z.array(z.string().max(200)).min(1).max(mostStudied) }),
  z.strictObject({ filter: z.string().max(2000) }),
]);
export type RunScope = z.infer<typeof RunScope>;
