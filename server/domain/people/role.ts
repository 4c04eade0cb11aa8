import { z } from "zod";

/** What somebody may do, the least first: read; change and launch; decide about people, links and settings. */
export const Role = z.enum(["viewer", "editor", "administrator"]);
export type Role = z.infer<typeof Role>;

/** Whether a role includes another. */
export function isAtLeast(role: Role, needed: Role): boolean {
  return Role.options.indexOf(role) >= Role.options.indexOf(needed);
}
