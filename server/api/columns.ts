import { z } from "zod";

/** A non-negative 32-bit integer: ids, seeds, attempts, iterations. */
export const Int4 = z
  .int()
  .min(0)
  .max(2 ** 31 - 1);

/** Seconds in which a request can be undone before it is carried out; absent: it is carried out at once. */
export const UndoSeconds = z.int().min(0).max(60).exactOptional();
