import { z } from "zod";

/** How long an order can be taken back before it is carried out; at once where it is absent. */
export const UndoSeconds = z.int().min(0).max(60).exactOptional();
