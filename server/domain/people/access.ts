import { z } from "zod";

/** Requirement of a procedure or route: a role for people and a scope for tokens. */
export type Needs = { role: Role; scope: Scope };

/**
 * Kinds of access. Every procedure and route names one, and only this table says which role and scope it requires.
 * `share` creates a link that shows something to everybody who has it. `own` concerns one's own account, such as the
 * password: any role may do it, but only a token that may do everything.
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
 * Permissions of a program's token: send runs over MLflow's protocol; read everything; change and launch; administer
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
