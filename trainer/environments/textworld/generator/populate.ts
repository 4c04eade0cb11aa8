import type { Rng } from "#trainer/spec/rng.ts";
import type { Condition } from "../game.ts";
import { pick } from "./chance.ts";
import { addThing, isOnFloor, withDoor, withThing, type Draft, type DraftThing, type Location } from "./draft.ts";

/**
 * Adds things that no quest needs, as TextWorld populates a world: a random kind in a random room each. A shut
 * container without a key gets one before anything else is added to its room, and never inside itself.
 */
export function populate(draft: Draft, count: number, rng: Rng): Draft {
  const rooms = Array.from({ length: count }, () => rng.int(draft.exits.length)).sort((a, b) => a - b);
  return rooms.reduce((now, room) => addOne(now, room, rng), draft);
}

type Lockable = { readonly lock: { readonly door: number } | { readonly container: number }; readonly isShut: boolean };

function addOne(draft: Draft, room: number, rng: Rng): Draft {
  const free = keyless(draft, room);
  const shut = free.filter(({ isShut }) => isShut);
  const kinds = ["container", "supporter", "object", "food", ...(free.length > 0 ? (["key"] as const) : [])] as const;
  const kind = shut.length > 0 ? "key" : pick(kinds, rng);
  if (kind === "container") {
    const condition = pick<Condition>(["open", "closed", "locked"], rng);
    return addThing(draft, { kind, location: { room }, condition }).draft;
  }
  if (kind === "supporter") return addThing(draft, { kind, location: { room } }).draft;
  if (kind !== "key") return addThing(draft, { kind, location: pick(locationsIn(draft, room), rng) }).draft;
  const { lock } = pick(shut.length > 0 ? shut : free, rng);
  const locations = locationsIn(draft, room).filter(
    (location) =>
      !(
        "container" in lock &&
        typeof location === "object" &&
        "thing" in location &&
        location.thing === lock.container
      ),
  );
  const { draft: added, thing: key } = addThing(draft, { kind, location: pick(locations, rng) });
  return "door" in lock ? withDoor(added, lock.door, { key }) : withThing(added, lock.container, { key });
}

/** Containers of a room that have no key yet. */
function keyless(draft: Draft, room: number): readonly Lockable[] {
  return [...draft.things.entries()].flatMap(([container, { kind, key, condition }]) =>
    kind === "container" && key === undefined && isOnFloor(draft, container, room)
      ? [{ lock: { container }, isShut: condition !== "open" }]
      : [],
  );
}

function locationsIn(draft: Draft, room: number): readonly Location[] {
  const furniture = [...draft.things.keys()].filter(
    (thing) => isFurniture(draft.things[thing]) && isOnFloor(draft, thing, room),
  );
  return ["inventory", { room }, ...furniture.map((thing) => ({ thing }))];
}

function isFurniture(thing: DraftThing | undefined): boolean {
  return thing?.kind === "container" || thing?.kind === "supporter";
}
