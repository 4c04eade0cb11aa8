import { z } from "zod";

/**
 * Permissions of a program's token: send runs over MLflow's protocol, read everything, change and launch, or administer
 * users and settings.
 */
export const Scope = z.enum(["track", "read", "write", "administer"]);
export type Scope = z.infer<typeof Scope>;
