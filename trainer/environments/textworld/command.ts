import {
  cuttings,
  inventoryOf,
  isAccessible,
  isCarried,
  isPortable,
  isSupporter,
  kindOf,
  nameOf,
  type Direction,
  type Exit,
  type Game,
  type World,
} from "./game.ts";

export const cutVerbs = { chopped: "chop", sliced: "slice", diced: "dice" } as const;
export type CutVerb = (typeof cutVerbs)[keyof typeof cutVerbs];

/** A parsed command of the player. Things are given as indices into the game's entities. */
export type Command =
  | { readonly verb: "look" | "inventory" | "prepare meal" }
  | { readonly verb: "go"; readonly direction: Direction }
  | WithThing<OneThingVerb>
  | WithThings<TwoThingsVerb>;
type WithThing<Verb> = Verb extends OneThingVerb ? { readonly verb: Verb; readonly thing: number } : never;
type WithThings<Verb> = Verb extends TwoThingsVerb
  ? { readonly verb: Verb; readonly thing: number; readonly other: number }
  : never;
export type OneThingVerb = "examine" | "open" | "close" | "take" | "drop" | "eat" | "drink";
/** Verbs with a second thing (`other`): a holder, a key for locks, a heat source for `cook`, a knife for cuts. */
type TwoThingsVerb = "take from" | "put" | "insert" | "lock" | "unlock" | "cook" | CutVerb;

/** Returns the canonical text of a command: `take old key from chest drawer`. `article` precedes each name. */
export function toCommandText(game: Game, command: Command, article = ""): string {
  const nameIt = (entity: number): string => `${article}${nameOf(game, entity)}`;
  if (command.verb === "go") return `go ${command.direction}`;
  if (!("thing" in command)) return command.verb;
  if (!("other" in command)) return `${command.verb} ${nameIt(command.thing)}`;
  const [verb, preposition] = prepositions[command.verb];
  return `${verb} ${nameIt(command.thing)} ${preposition} ${nameIt(command.other)}`;
}

const prepositions: Readonly<Record<TwoThingsVerb, readonly [verb: string, preposition: string]>> = {
  "take from": ["take", "from"],
  put: ["put", "on"],
  insert: ["insert", "into"],
  lock: ["lock", "with"],
  unlock: ["unlock", "with"],
  cook: ["cook", "with"],
  chop: ["chop", "with"],
  slice: ["slice", "with"],
  dice: ["dice", "with"],
};

/** Lists the texts of all commands that the world allows, as TextWorld does: canonical, sorted, unique. */
export function listAdmissible(game: Game, world: World): readonly string[] {
  const texts = listCommands(game, world).map((command) => toCommandText(game, command));
  return [...new Set(texts)].sort();
}

/** Lists every command that is possible in this world, in no particular order. */
export function listCommands(game: Game, world: World): readonly Command[] {
  return [
    { verb: "look" },
    { verb: "inventory" },
    ...commandsWithExits(game, world),
    ...commandsWithRoom(game, world),
    ...commandsWithCarried(game, world),
    ...(canPrepare(game, world) ? [{ verb: "prepare meal" } as const] : []),
  ];
}

function commandsWithExits(game: Game, world: World): readonly Command[] {
  const commands: Command[] = [];
  for (const { direction, door } of game.exits[world.room] ?? []) {
    if (door === undefined || world.conditions[door] === "open") commands.push({ verb: "go", direction });
    if (door === undefined) continue;
    if (game.examines.doors) commands.push({ verb: "examine", thing: door });
    commands.push(...commandsWithLock(game, world, door));
  }
  return commands;
}

/** Lists the possible commands that open, close, lock or unlock a door or container. */
function commandsWithLock(game: Game, world: World, thing: number): readonly Command[] {
  const key = game.keys[thing];
  const condition = world.conditions[thing];
  const hasKey = key !== undefined && isCarried(game, world, key);
  if (condition === "open") return [{ verb: "close", thing }];
  if (condition === "locked") return hasKey ? [{ verb: "unlock", thing, other: key }] : [];
  if (condition === undefined) return [];
  return hasKey
    ? [
        { verb: "open", thing },
        { verb: "lock", thing, other: key },
      ]
    : [{ verb: "open", thing }];
}

function commandsWithRoom(game: Game, world: World): readonly Command[] {
  const commands: Command[] = [];
  const hasSpace = !isFull(game, world);
  for (const thing of world.contents[world.room] ?? []) {
    commands.push({ verb: "examine", thing });
    if (isPortable(kindOf(game, thing))) {
      if (hasSpace) commands.push({ verb: "take", thing });
      continue;
    }
    commands.push(...commandsWithLock(game, world, thing));
    if (!isAccessible(game, world, thing)) continue;
    for (const content of world.contents[thing] ?? []) {
      commands.push({ verb: "examine", thing: content });
      if (hasSpace) commands.push({ verb: "take from", thing: content, other: thing });
    }
  }
  return commands;
}

function commandsWithCarried(game: Game, world: World): readonly Command[] {
  const carried = world.contents[inventoryOf(game)] ?? [];
  const furniture = (world.contents[world.room] ?? []).filter((thing) => isAccessible(game, world, thing));
  const heats = (world.contents[world.room] ?? []).filter((thing) => isHeat(game, thing));
  const knives = carried.filter((thing) => game.entities[thing]?.isSharp);
  return carried.flatMap((thing) => [
    ...(game.examines.carried ? [{ verb: "examine", thing } as const] : []),
    { verb: "drop", thing },
    ...furniture.map((other): Command => ({ verb: isSupporter(kindOf(game, other)) ? "put" : "insert", thing, other })),
    ...commandsWithFood(world, thing, { heats, knives }),
  ]);
}

function commandsWithFood(
  { foods }: World,
  thing: number,
  { heats, knives }: { heats: readonly number[]; knives: readonly number[] },
): readonly Command[] {
  const food = foods[thing];
  if (food === undefined) return [];
  const { isEdible, isDrinkable, heat, cutting } = food;
  return [
    ...(isEdible ? [{ verb: "eat", thing } as const] : []),
    ...(isDrinkable ? [{ verb: "drink", thing } as const] : []),
    ...(heat === undefined || heat === "burned" ? [] : heats.map((other): Command => ({ verb: "cook", thing, other }))),
    ...(cutting === "uncut"
      ? knives.flatMap((other) => cuttings.map((way): Command => ({ verb: cutVerbs[way], thing, other })))
      : []),
  ];
}

export function isHeat(game: Game, thing: number): boolean {
  const kind = kindOf(game, thing);
  return kind === "stove" || kind === "oven" || kind === "barbecue";
}

export function isFull(game: Game, world: World): boolean {
  return (world.contents[inventoryOf(game)]?.length ?? 0) >= (game.capacity ?? Infinity);
}

function canPrepare(game: Game, world: World): boolean {
  const { recipe } = game;
  if (recipe === undefined || world.room !== recipe.kitchen) return false;
  return recipe.ingredients.slice(0, recipe.numListed).every(({ food }) => isCarried(game, world, food));
}

export function exitOf(game: Game, world: World, direction: Direction): Exit | undefined {
  return game.exits[world.room]?.find((exit) => exit.direction === direction);
}
