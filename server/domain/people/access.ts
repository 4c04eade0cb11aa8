import { z } from "zod";

/** Requirement of an API procedure or route: a role for people and a scope for tokens. */
export type Needs = { role: Role; scope: Scope };

/**
 * Role and scope that each kind of access requires; every procedure and route names one kind. `share` creates links
 * that show something to everybody. `own` concerns one's own account: any role, but only tokens with the scope
 * `administer`.
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
 * `track` logs runs over MLflow's protocol; `read` reads everything; `write` also changes and launches; `administer`
 * also manages users and settings.
 */
export const Scope = z.enum(["track", "read", "write", "administer"]);
export type Scope = z.infer<typeof Scope>;

/**
 * Ascending: a viewer reads; an editor also changes and launches; an administrator also manages people, links and
 * settings.
 */
export const Role = z.enum(["viewer", "editor", "administrator"]);
export type Role = z.infer<typeof Role>;

export function isAtLeast(role: Role, needed: Role): boolean {
  return Role.options.indexOf(role) >= Role.options.indexOf(needed);
}
