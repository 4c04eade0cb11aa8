import { z } from "zod";

/** What a program's token may do: send runs over MLflow's protocol, read everything, change and launch, or decide about people and settings. */
export const Scope = z.enum(["track", "read", "write", "administer"]);
export type Scope = z.infer<typeof Scope>;
