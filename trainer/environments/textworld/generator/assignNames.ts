import type { Rng } from "#trainer/spec/rng.ts";
import type { Blueprint, Thing } from "./blueprint.ts";
import { pick, shuffle } from "../../chance.ts";
import type { QuestStep } from "./chain.ts";
import type { Draft, DraftThing, Location } from "./draft.ts";
import type { Layout } from "./layout.ts";
import type { Names } from "./names.ts";

/** A drafted world with names for everything, and the steps of its quest as commands in text. */
export type Named = { readonly blueprint: Blueprint; readonly lines: readonly string[] };

/** Names every room, door and thing of a drafted world. A key and its lock share a colour. */
export function assignNames(
  draft: Draft,
  steps: readonly QuestStep[],
  { layout, names, rng }: { layout: Layout; names: Names; rng: Rng },
): Named | undefined {
  const naming = makeNaming(names, rng);
  const rooms = shuffle(names.rooms, rng).slice(0, layout.numRooms);
  const crowded = crowdedKinds(draft, names);
  const given =
    giveNames(draft, naming) ?? (crowded.size > 0 ? giveNames(draft, makeNaming(names, rng, crowded)) : undefined);
  if (given === undefined || rooms.length < layout.numRooms) return undefined;
  const { doors, things } = given;
  const ids = idsOf(draft.things);
  const nameOf = (list: readonly string[], i: number): string => list[i] ?? "";
  const passageDoor = new Map(
    draft.exits.flatMap((exits, from) =>
      exits.flatMap(({ room, door }) => (door === undefined ? [] : [[`${from}-${room}`, door] as const])),
    ),
  );
  const blueprint: Blueprint = {
    rooms: rooms.map((name, i) => ({ id: `r_${i}`, name })),
    links: layout.passages.map(({ from, direction, to }) => {
      const door = passageDoor.get(`${from}-${to}`);
      return { from: `r_${from}`, direction, to: `r_${to}`, ...(door === undefined ? {} : { door: `d_${door}` }) };
    }),
    doors: draft.doors.map(({ condition, key }, i) => ({
      id: `d_${i}`,
      name: nameOf(doors, i),
      condition,
      ...(key === undefined ? {} : { key: nameOf(ids, key) }),
    })),
    things: draft.things.map((thing, i) => toThing(thing, { id: nameOf(ids, i), name: nameOf(things, i), ids })),
    start: `r_${draft.player}`,
  };
  const lines = steps.map((step) => toLine(step, { door: (i) => nameOf(doors, i), thing: (i) => nameOf(things, i) }));
  return { blueprint, lines };
}

type NamedKind = keyof Names["nouns"];

/** Names doors and things; undefined if there are too few names. A key and its lock share a colour. */
function giveNames(
  { doors, things }: Draft,
  naming: ReturnType<typeof makeNaming>,
): { doors: readonly string[]; things: readonly string[] } | undefined {
  const colorOfKey = new Map<number, string>();
  const colorFor = (key: number): string => {
    const color = colorOfKey.get(key) ?? naming.color();
    colorOfKey.set(key, color);
    return color;
  };
  const doorNames = doors.map(({ key }) => naming.name("door", key === undefined ? undefined : colorFor(key)));
  const keys = keysOf({ doors, things });
  const thingNames = things.map(({ kind, key }, thing) => {
    const lock = keys.has(thing) ? thing : key;
    return naming.name(kind, lock === undefined ? undefined : colorFor(lock));
  });
  const known = (all: readonly (string | undefined)[]): readonly string[] => all.filter((name) => name !== undefined);
  const given = { doors: known(doorNames), things: known(thingNames) };
  return given.doors.length < doors.length || given.things.length < things.length ? undefined : given;
}

function keysOf({ doors, things }: Pick<Draft, "doors" | "things">): ReadonlySet<number> {
  return new Set([...doors, ...things].flatMap(({ key }) => (key === undefined ? [] : [key])));
}

/** Returns the kinds that need colours, since there are more things than nouns. Keys and locked things do not count. */
function crowdedKinds({ doors, things }: Draft, { nouns }: Names): ReadonlySet<NamedKind> {
  const keys = keysOf({ doors, things });
  const plain: readonly NamedKind[] = [
    ...doors.flatMap(({ key }) => (key === undefined ? (["door"] as const) : [])),
    ...things.flatMap(({ kind, key }, thing) => (key === undefined && !keys.has(thing) ? [kind] : [])),
  ];
  return new Set(plain.filter((kind) => plain.filter((other) => other === kind).length > nouns[kind].length));
}

/** Makes a function that samples unique names: a noun once without colour (unless `crowded`), and once per colour. */
function makeNaming({ colors, nouns }: Names, rng: Rng, crowded: ReadonlySet<NamedKind> = new Set()) {
  const taken = new Set<string>();
  const alone = new Set<string>();
  const left = shuffle(colors, rng);
  return {
    color: (): string => left.pop() ?? pick(colors, rng),
    name(kind: NamedKind, color: string | undefined): string | undefined {
      const free = nouns[kind].filter((noun) => !alone.has(noun));
      const plain = free.filter((noun) => ![...taken].some((name) => name.endsWith(` ${noun}`)));
      const isPlain = color === undefined && plain.length > 0 && !crowded.has(kind);
      const options = isPlain
        ? plain
        : (color === undefined ? colors : [color]).flatMap((shade) => free.map((noun) => `${shade} ${noun}`));
      const fresh = options.filter((name) => !taken.has(name));
      if (fresh.length === 0) return undefined;
      const name = pick(fresh, rng);
      taken.add(name);
      if (isPlain) alone.add(name);
      return name;
    },
  };
}

const letters = { container: "c", supporter: "s", object: "o", key: "k", food: "f" } as const;

function idsOf(things: readonly DraftThing[]): readonly string[] {
  return things.map(({ kind }, i) => {
    const before = things.slice(0, i).filter((other) => other.kind === kind).length;
    return `${letters[kind]}_${before}`;
  });
}

function toThing(
  { kind, location, condition, key }: DraftThing,
  { id, name, ids }: { id: string; name: string; ids: readonly string[] },
): Thing {
  const holder = toHolder(location, ids);
  return {
    id,
    kind,
    name,
    ...(condition === undefined ? {} : { condition }),
    ...(key === undefined ? {} : { key: ids[key] ?? "" }),
    ...(holder === undefined ? {} : { holder }),
    ...(kind === "food" ? { food: { isEdible: true } } : {}),
  };
}

function toHolder(location: Location, ids: readonly string[]): string | undefined {
  if (location === "inventory") return "I";
  if (location === "eaten") return undefined;
  return "room" in location ? `r_${location.room}` : ids[location.thing];
}

function toLine(step: QuestStep, names: { door: (i: number) => string; thing: (i: number) => string }): string {
  const lockName = (lock: Extract<QuestStep, { lock: unknown }>["lock"]): string =>
    "door" in lock ? names.door(lock.door) : names.thing(lock.container);
  switch (step.verb) {
    case "go":
      return `go ${step.direction}`;
    case "take":
    case "drop":
    case "eat":
      return `${step.verb} ${names.thing(step.thing)}`;
    case "take from":
      return `take ${names.thing(step.thing)} from ${names.thing(step.holder)}`;
    case "put":
      return `put ${names.thing(step.thing)} on ${names.thing(step.holder)}`;
    case "insert":
      return `insert ${names.thing(step.thing)} into ${names.thing(step.holder)}`;
    case "open":
    case "close":
      return `${step.verb} ${lockName(step.lock)}`;
    case "lock":
    case "unlock":
      return `${step.verb} ${lockName(step.lock)} with ${names.thing(step.key)}`;
  }
}
