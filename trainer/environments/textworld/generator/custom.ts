import type { TextWorldSpec } from "#trainer/spec/environments/textworld.ts";
import type { Rng } from "#trainer/spec/rng.ts";
import type { Condition } from "../game.ts";
import { chainBackwards } from "./chain.ts";
import { pick } from "../../chance.ts";
import type { QuestVerb } from "./choices.ts";
import { assignNames } from "./assignNames.ts";
import { addThing, type Draft, type DraftThing, isOnFloor, type Location, withDoor, withThing } from "./draft.ts";
import { makeGrid } from "./house.ts";
import { namesFor } from "./names.ts";
import { finish, type Generated } from "./quest.ts";

const deeds: readonly QuestVerb[] = [
  "take",
  "take from",
  "drop",
  "put",
  "insert",
  "open",
  "close",
  "lock",
  "unlock",
  "eat",
];

/** Generates a standard game: random map, quest built backwards, distractors. Undefined if no quest was found. */
export function generateCustom(spec: TextWorldSpec, questLength: number, rng: Rng): Generated | undefined {
  const { layout, draft } = makeGrid(spec, rng);
  const invents = ["container", "supporter", "object", "key", "food"] as const;
  const chain = chainBackwards(draft, { length: questLength, last: deeds, verbs: ["go", ...deeds], invents }, rng);
  const numThings = Math.max(spec.objects, chain?.start.things.length ?? 0);
  if (chain === undefined || numThings > maxThings(spec)) return undefined;
  const missing = numThings - chain.start.things.length + spec.distractors;
  const full = populate(chain.start, missing, rng);
  const names = namesFor(spec.names, {
    rooms: spec.rooms,
    things: maxThings(spec),
    distractors: spec.distractors,
  });
  const named = assignNames(full, chain.steps, { layout, names, rng });
  return named && finish(named, { spec, rng });
}

/** Returns the maximum number of things. A quest may add more things than the setting `objects`, within this limit. */
export function maxThings({ objects, questLength }: Pick<TextWorldSpec, "objects" | "questLength">): number {
  return Math.max(objects, Math.ceil(questLength / 2) + 1);
}

/**
 * Adds `count` things that no quest needs, as TextWorld populates a world: each has a random kind and a random room.
 * A shut container without a key gets a key before anything else is added to its room. The key is never inside that
 * container.
 */
function populate(draft: Draft, count: number, rng: Rng): Draft {
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
  const locked = "container" in lock ? lock.container : undefined;
  const locations = locationsIn(draft, room).filter(
    (location) => typeof location !== "object" || !("thing" in location) || location.thing !== locked,
  );
  const { draft: added, thing: key } = addThing(draft, { kind, location: pick(locations, rng) });
  return "door" in lock ? withDoor(added, lock.door, { key }) : withThing(added, lock.container, { key });
}

/** Lists the containers on a room's floor that have no key yet. */
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
