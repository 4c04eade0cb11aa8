import { z } from "zod";

/** A number that a column of four bytes holds, from zero on: ids, seeds, attempts, iterations. */
export const Int4 = z
  .int()
  .min(0)
  .max(2 ** 31 - 1);
