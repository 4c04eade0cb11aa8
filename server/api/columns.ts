import { z } from "zod";

/** A non-negative 32-bit integer: ids, seeds, attempts, iterations. */
export const Int4 = z
  .int()
  .min(0)
  .max(2 ** 31 - 1);
