import { z } from "zod";

/** Roles in ascending order: read; change and launch; manage people, links and settings. */
export const Role = z.enum(["viewer", "editor", "administrator"]);
export type Role = z.infer<typeof Role>;

/** True if a role includes another. */
export function isAtLeast(role: Role, needed: Role): boolean {
  return Role.options.indexOf(role) >= Role.options.indexOf(needed);
}
