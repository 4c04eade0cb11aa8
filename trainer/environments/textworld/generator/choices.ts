import type { Condition } from "../game.ts";
import { isCarriedIn, isHeldBy, isOnFloor, type Draft, type DraftExit, type DraftThing } from "./draft.ts";

/** Thing that a quest's action uses: the number of an existing thing, or a new thing to be added. */
export type Which = number | Invented;
export type Invented = { readonly invent: DraftThing["kind"] };
export type Lockable = { readonly door: number } | { readonly container: Which };

/** A possible earlier action of a quest that is built backwards, with the things that it uses. */
export type Choice =
  | { readonly verb: "go"; readonly exit: DraftExit }
  | { readonly verb: "take" | "drop" | "eat"; readonly thing: Which }
  | { readonly verb: "take from" | "put" | "insert"; readonly thing: Which; readonly holder: Which }
  | { readonly verb: "open" | "close"; readonly lock: Lockable }
  | { readonly verb: "lock" | "unlock"; readonly lock: Lockable; readonly key: Which };
export type QuestVerb = Choice["verb"];

/** Lists the actions that can have led to this world, with existing things and one new thing per kind of `invents`. */
export function listChoices(
  draft: Draft,
  verbs: readonly QuestVerb[],
  invents: readonly DraftThing["kind"][],
): Choice[] {
  const may = (verb: QuestVerb): boolean => verbs.includes(verb);
  const things = [...draft.things.keys()];
  const invented = (...kinds: readonly DraftThing["kind"][]): readonly Invented[] =>
    kinds.filter((kind) => invents.includes(kind)).map((invent) => ({ invent }));
  const kindOf = (thing: number): DraftThing["kind"] | undefined => draft.things[thing]?.kind;
  const isHere = (thing: number): boolean => isOnFloor(draft, thing);
  const goods = invented("object", "food");
  const carried: readonly Which[] = [...things.filter((thing) => isCarriedIn(draft, thing)), ...goods];
  const supporters: readonly Which[] = [
    ...things.filter((thing) => kindOf(thing) === "supporter" && isHere(thing)),
    ...invented("supporter"),
  ];
  const containers = things.filter((thing) => kindOf(thing) === "container" && isHere(thing));
  const openContainers: readonly Which[] = [
    ...containers.filter((thing) => draft.things[thing]?.condition === "open"),
    ...invented("container"),
  ];
  const isOn = (thing: number, holder: Which): boolean => typeof holder === "number" && isHeldBy(draft, thing, holder);
  const held = (holder: Which): readonly Which[] => [...things.filter((thing) => isOn(thing, holder)), ...goods];
  const onFloor = things.filter(
    (thing) => isHere(thing) && kindOf(thing) !== "container" && kindOf(thing) !== "supporter",
  );
  const choices: Choice[] = [];
  if (may("go")) choices.push(...freeExits(draft).map((exit): Choice => ({ verb: "go", exit })));
  if (may("take")) choices.push(...carried.map((thing): Choice => ({ verb: "take", thing })));
  if (may("take from"))
    for (const holder of [...supporters, ...openContainers])
      choices.push(...carried.map((thing): Choice => ({ verb: "take from", thing, holder })));
  if (may("drop")) choices.push(...[...onFloor, ...goods].map((thing): Choice => ({ verb: "drop", thing })));
  if (may("put"))
    for (const holder of supporters)
      choices.push(...held(holder).map((thing): Choice => ({ verb: "put", thing, holder })));
  if (may("insert"))
    for (const holder of openContainers)
      choices.push(...held(holder).map((thing): Choice => ({ verb: "insert", thing, holder })));
  if (may("eat")) choices.push(...invented("food").map((thing): Choice => ({ verb: "eat", thing })));
  for (const container of containers) choices.push(...lockChoices(draft, { container }, { may, invented }));
  for (const { door } of draft.exits[draft.player] ?? [])
    if (door !== undefined) choices.push(...lockChoices(draft, { door }, { may, invented }));
  for (const container of invented("container"))
    for (const condition of ["open", "closed", "locked"] as const)
      choices.push(...conditionChoices({ container }, { condition, keys: invented("key"), may }));
  return choices;
}

function freeExits({ exits, doors, player }: Draft): readonly DraftExit[] {
  return (exits[player] ?? []).filter(({ door }) => door === undefined || doors[door]?.condition === "open");
}

function lockChoices(
  draft: Draft,
  lock: { readonly door: number } | { readonly container: number },
  { may, invented }: { may: (verb: QuestVerb) => boolean; invented: (kind: "key") => readonly Invented[] },
): readonly Choice[] {
  const { condition, key } = ("door" in lock ? draft.doors[lock.door] : draft.things[lock.container]) ?? {};
  if (condition === undefined) return [];
  const carriedKeys = key !== undefined && isCarriedIn(draft, key) ? [key] : [];
  return conditionChoices(lock, { condition, keys: key === undefined ? invented("key") : carriedKeys, may });
}

/** Lists the actions (open, close, lock, unlock) that can have led to the condition of a door or container. */
function conditionChoices(
  lock: Lockable,
  { condition, keys, may }: { condition: Condition; keys: readonly Which[]; may: (verb: QuestVerb) => boolean },
): readonly Choice[] {
  if (condition === "open") return may("open") ? [{ verb: "open", lock }] : [];
  const verb = condition === "locked" ? "lock" : "unlock";
  return [
    ...(condition === "closed" && may("close") ? [{ verb: "close", lock } as const] : []),
    ...(may(verb) ? keys.map((key): Choice => ({ verb, lock, key })) : []),
  ];
}
