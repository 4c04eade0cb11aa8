import type { Condition, Direction, Kind } from "../game.ts";

/** An immutable world under construction. Rooms, doors and things are referred to by number. */
export type Draft = {
  readonly exits: readonly (readonly DraftExit[])[];
  readonly doors: readonly { readonly condition: Condition; readonly key?: number }[];
  readonly things: readonly DraftThing[];
  readonly player: number;
};
export type DraftExit = { readonly direction: Direction; readonly room: number; readonly door?: number };
export type DraftThing = {
  readonly kind: Extract<Kind, "container" | "supporter" | "object" | "key" | "food">;
  readonly location: Location;
  readonly condition?: Condition;
  readonly key?: number;
};
export type Location = "inventory" | "eaten" | { readonly room: number } | { readonly thing: number };

export function isCarriedIn(draft: Draft, thing: number): boolean {
  return draft.things[thing]?.location === "inventory";
}

export function isOnFloor(draft: Draft, thing: number, room = draft.player): boolean {
  const location = draft.things[thing]?.location;
  return typeof location === "object" && "room" in location && location.room === room;
}

export function isHeldBy(draft: Draft, thing: number, holder: number): boolean {
  const location = draft.things[thing]?.location;
  return typeof location === "object" && "thing" in location && location.thing === holder;
}

export function withThing(draft: Draft, thing: number, change: Partial<DraftThing>): Draft {
  const before = draft.things[thing];
  return before === undefined ? draft : { ...draft, things: draft.things.with(thing, { ...before, ...change }) };
}

export function withDoor(draft: Draft, door: number, change: { condition?: Condition; key?: number }): Draft {
  const before = draft.doors[door];
  return before === undefined ? draft : { ...draft, doors: draft.doors.with(door, { ...before, ...change }) };
}

/** Adds a thing to a drafted world. The thing's number is the number of things before it. */
export function addThing(draft: Draft, thing: DraftThing): { draft: Draft; thing: number } {
  return { draft: { ...draft, things: [...draft.things, thing] }, thing: draft.things.length };
}
