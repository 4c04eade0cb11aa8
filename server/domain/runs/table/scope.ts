import { z } from "zod";

/** Maximum number of runs of an analysis; a page draws fewer individually. */
export const maxStudied = 5000;

/** Runs of an analysis: those of sweeps, some by id, or the result of a run table filter. */
export const RunScope = z.union([
  z.strictObject({ sweepIds: z.array(z.string().max(200)).min(1).max(20) }),
  z.strictObject({ runIds: z.array(z.string().max(200)).min(1).max(maxStudied) }),
  z.strictObject({ filter: z.string().max(2000) }),
]);
export type RunScope = z.infer<typeof RunScope>;
