import { z } from "zod";

/** Seconds in which a request can be undone before it is carried out; absent: immediately. */
export const UndoSeconds = z.int().min(0).max(60).exactOptional();
