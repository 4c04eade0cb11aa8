import { z } from "zod";

/** What a program's token may do: send runs over MLflow's protocol, read everything, or change and launch. */
export const Scope = z.enum(["track", "read", "write"]);
export type Scope = z.infer<typeof Scope>;
