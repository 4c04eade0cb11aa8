import { z } from "zod";

/** Requirement of a procedure or route: a role for people, and a scope for tokens. */
export type Needs = { role: Role; scope: Scope };

/**
 * The kinds of doors. Every procedure and route names one; which role and scope that takes stands here alone.
 * `share` makes a link that shows something to whoever has it. `own` is what people decide for themselves, such as their password: any role may, and a token only where it may
 * do everything.
 */
export const accesses = {
  view: { role: "viewer", scope: "read" },
  change: { role: "editor", scope: "write" },
  track: { role: "editor", scope: "track" },
  share: { role: "editor", scope: "write" },
  own: { role: "viewer", scope: "administer" },
  administer: { role: "administrator", scope: "administer" },
} as const satisfies Readonly<Record<string, Needs>>;
export type Access = keyof typeof accesses;

/**
 * Permissions of a program's token: send runs over MLflow's protocol, read everything, change and launch, or administer
 * users and settings.
 */
export const Scope = z.enum(["track", "read", "write", "administer"]);
export type Scope = z.infer<typeof Scope>;

/** Roles in ascending order: read; change and launch; manage people, links and settings. */
export const Role = z.enum(["viewer", "editor", "administrator"]);
export type Role = z.infer<typeof Role>;

/** True if a role includes another. */
export function isAtLeast(role: Role, needed: Role): boolean {
  return Role.options.indexOf(role) >= Role.options.indexOf(needed);
}
