import { cutVerbs, isHeat, type Command } from "./command.ts";
import { cuttings, inventoryOf, isContainer, isSupporter, kindOf } from "./game.ts";
import type { Fact, Game, Kind, World } from "./game.ts";

/**
 * A rule of TextWorld's logic with its variables bound: `pre` lists the facts that must hold, and `post` the facts
 * that replace them. Facts are texts with ids such as `in(k_0,I)`, so that actions from saved games and from played
 * games compare equal.
 */
export type Action = {
  readonly name: string;
  readonly pre: readonly string[];
  readonly post: readonly string[];
  /** Facts that the action makes true; `removed` lists the facts that become false. */
  readonly added: readonly string[];
  readonly removed: readonly string[];
  /** Text that identifies the action, so that equal actions have equal keys. */
  readonly key: string;
};

export function makeAction(name: string, pre: readonly string[], post: readonly string[]): Action {
  return {
    name,
    pre,
    post,
    added: post.filter((fact) => !pre.includes(fact)),
    removed: pre.filter((fact) => !post.includes(fact)),
    key: `${name}|${[...pre].sort().join(" ")}|${[...post].sort().join(" ")}`,
  };
}

const reverses: Readonly<Record<string, string>> = Object.fromEntries(
  [
    ["lock/c", "unlock/c"],
    ["lock/d", "unlock/d"],
    ["open/c", "close/c"],
    ["open/d", "close/d"],
    ["take", "drop"],
    ["take/c", "insert"],
    ["take/s", "put"],
    ["go/north", "go/south"],
    ["go/west", "go/east"],
    ["look", "look"],
    ["inventory", "inventory"],
    ["examine/t", "examine/t"],
    ["examine/d", "examine/d"],
    ["examine/I", "examine/I"],
  ].flatMap(([a = "", b = ""]) => [
    [a, b],
    [b, a],
  ]),
);

/** Returns the action that undoes an action; undefined for eating, cooking and cutting. */
export function reverseOf({ name, pre, post }: Action): Action | undefined {
  const reverse = reverses[name];
  return reverse === undefined ? undefined : makeAction(reverse, post, pre);
}

/** Returns the action with preconditions and effects exchanged, even if no rule allows it. */
export function inverseOf({ name, pre, post }: Action): Action {
  return makeAction(`r_${name}`, post, pre);
}

/** Returns the logical action that a command performs in this world. The command must be possible. */
export function toAction(game: Game, world: World, command: Command): Action {
  const id = (entity: number): string => game.entities[entity]?.id ?? (entity === inventoryOf(game) ? "I" : "");
  const here = `at(P,${id(world.room)})`;
  const kept = (name: string, keeps: readonly string[], change: readonly [readonly string[], readonly string[]]) =>
    makeAction(name, [...keeps, ...change[0]], [...keeps, ...change[1]]);
  switch (command.verb) {
    case "look":
    case "inventory":
      return makeAction(command.verb, [here], [here]);
    case "examine":
      return makeAction("examine/t", [here], [here]);
    case "go":
      return toGo(game, world, command.direction);
    case "open":
    case "close":
    case "lock":
    case "unlock": {
      const isDoor = kindOf(game, command.thing) === "door";
      const site = isDoor ? linksOf(game, world, command.thing) : [`at(${id(command.thing)},${id(world.room)})`];
      const paths = isDoor ? pathsOf(game, world, command.thing) : [];
      const name = `${command.verb}/${isDoor ? "d" : "c"}`;
      const fact = (condition: string): string => `${condition}(${id(command.thing)})`;
      if (command.verb === "open") return kept(name, [here, ...site], [[fact("closed")], [fact("open"), ...paths]]);
      if (command.verb === "close") return kept(name, [here, ...site], [[fact("open"), ...paths], [fact("closed")]]);
      const key = [`in(${id(command.other)},I)`, `match(${id(command.other)},${id(command.thing)})`];
      const [closed, locked] = [[fact("closed")], [fact("locked")]];
      return kept(name, [here, ...site, ...key], command.verb === "lock" ? [closed, locked] : [locked, closed]);
    }
    case "take":
    case "take from":
    case "drop":
    case "put":
    case "insert":
      return toTransfer(game, world, command);
    case "eat":
    case "drink": {
      const carried = `in(${id(command.thing)},I)`;
      if (game.recipe === undefined) return makeAction("eat", [carried], [`eaten(${id(command.thing)})`]);
      const property = `${command.verb === "eat" ? "edible" : "drinkable"}(${id(command.thing)})`;
      return makeAction(command.verb, [carried, property], [`consumed(${id(command.thing)})`]);
    }
    case "cook":
      return toCook(game, world, command);
    case "chop":
    case "slice":
    case "dice": {
      const cutting = cuttings.find((way) => cutVerbs[way] === command.verb) ?? "chopped";
      const [food, knife] = [id(command.thing), id(command.other)];
      const keeps = [`in(${food},I)`, `in(${knife},I)`, `sharp(${knife})`];
      return kept(command.verb, keeps, [[`uncut(${food})`], [`${cutting}(${food})`]]);
    }
    case "prepare meal":
      return toPrepare(game, world);
  }
}

type CommandOf<Verb extends Command["verb"]> = Extract<Command, { verb: Verb }>;

function toGo(game: Game, world: World, direction: CommandOf<"go">["direction"]): Action {
  const target = game.exits[world.room]?.find((exit) => exit.direction === direction)?.room ?? world.room;
  const [here, there] = [game.entities[world.room]?.id ?? "", game.entities[target]?.id ?? ""];
  const position = positionFact(direction, here, there);
  const keeps = [position, `free(${here},${there})`, `free(${there},${here})`];
  return makeAction(`go/${direction}`, [`at(P,${here})`, ...keeps], [...keeps, `at(P,${there})`]);
}

/** Returns the fact that one room is north or west of another. South of `here` is `here` north of it. */
function positionFact(direction: string, here: string, there: string): string {
  if (direction === "south") return `north_of(${here},${there})`;
  if (direction === "north") return `north_of(${there},${here})`;
  return direction === "east" ? `west_of(${here},${there})` : `west_of(${there},${here})`;
}

function sidesOf(game: Game, world: World, door: number): readonly [string, string] {
  const exit = game.exits[world.room]?.find((way) => way.door === door);
  return [game.entities[world.room]?.id ?? "", game.entities[exit?.room ?? -1]?.id ?? ""];
}

function linksOf(game: Game, world: World, door: number): readonly string[] {
  const [here, there] = sidesOf(game, world, door);
  const id = game.entities[door]?.id ?? "";
  return [`link(${here},${id},${there})`, `link(${there},${id},${here})`];
}

function pathsOf(game: Game, world: World, door: number): readonly string[] {
  const [here, there] = sidesOf(game, world, door);
  return [`free(${here},${there})`, `free(${there},${here})`];
}

/** Returns the name of the fact that a thing is in, on or at its holder. */
function placeOf(holder: Kind | undefined): "in" | "on" | "at" {
  if (isContainer(holder)) return "in";
  return isSupporter(holder) ? "on" : "at";
}

function toTransfer(
  game: Game,
  world: World,
  command: CommandOf<"take" | "take from" | "drop" | "put" | "insert">,
): Action {
  const id = (entity: number): string => game.entities[entity]?.id ?? "";
  const isTaking = command.verb === "take" || command.verb === "take from";
  const holder = isTaking
    ? (world.holders[command.thing] ?? world.room)
    : "other" in command
      ? command.other
      : world.room;
  const kind = kindOf(game, holder);
  const carried = `in(${id(command.thing)},I)`;
  const placed = `${placeOf(kind)}(${id(command.thing)},${id(holder)})`;
  const here = `at(P,${id(world.room)})`;
  const keeps = [here, ...(holder === world.room ? [] : [`at(${id(holder)},${id(world.room)})`])];
  if (isContainer(kind)) keeps.push(`open(${id(holder)})`);
  const [name, from, to] = isTaking
    ? [{ in: "take/c", on: "take/s", at: "take" }[placeOf(kind)], placed, carried]
    : [{ in: "insert", on: "put", at: "drop" }[placeOf(kind)], carried, placed];
  return makeAction(name, [...keeps, from], [...keeps, to]);
}

function toCook(game: Game, world: World, { thing, other }: CommandOf<"cook">): Action {
  const [food, heat] = [game.entities[thing]?.id ?? "", game.entities[other]?.id ?? ""];
  const kind = isHeat(game, other) ? kindOf(game, other) : "stove";
  const type = kind === "barbecue" ? "toaster" : (kind ?? "stove");
  const cooking = kind === "stove" ? "fried" : kind === "oven" ? "roasted" : "grilled";
  const here = game.entities[world.room]?.id ?? "";
  const keeps = [`at(P,${here})`, `at(${heat},${here})`, `in(${food},I)`];
  const was = world.foods[thing]?.heat;
  const change = (name: string, before: readonly string[], after: readonly string[]): Action => {
    const facts = (states: readonly string[]): readonly string[] => states.map((state) => `${state}(${food})`);
    return makeAction(`cook/${type}/${name}`, [...keeps, ...facts(before)], [...keeps, ...facts(after)]);
  };
  if (was === "raw") return change("cooked/raw", ["raw"], [cooking, "cooked"]);
  if (was !== "needs cooking") return change("burned", ["cooked", "edible"], ["burned", "inedible"]);
  return change("cooked/needs_cooking", ["needs_cooking", "inedible"], [cooking, "edible", "cooked"]);
}

function toPrepare({ recipe, entities }: Game, world: World): Action {
  const id = (entity: number | undefined): string => entities[entity ?? -1]?.id ?? "";
  const meal = id(recipe?.meal);
  const foods = (recipe?.ingredients ?? []).map(({ food }) => id(food));
  const keeps = [
    `at(P,${id(world.room)})`,
    `cooking_location(${id(recipe?.kitchen)},RECIPE)`,
    ...foods.map((food, i) => `ingredient_${i + 1}(${food})`),
    `out(${meal},RECIPE)`,
  ];
  return makeAction(
    `make/recipe/${foods.length}`,
    [...keeps, ...foods.map((food) => `in(${food},I)`)],
    [...keeps, `in(${meal},I)`, `edible(${meal})`, ...foods.map((food) => `used(${food})`), `raw(${meal})`],
  );
}

/** Returns all facts that are true in a world, in the notation of `Action`. */
export function toFacts(game: Game, world: World): Set<string> {
  const facts = new Set<string>();
  const id = (entity: number): string => game.entities[entity]?.id ?? "";
  facts.add(`at(P,${id(world.room)})`);
  for (const [entity, { kind }] of game.entities.entries()) {
    if (kind === "room") addExits(game, world, { room: entity, facts });
    const holder = world.holders[entity] ?? inventoryOf(game) + 1;
    const holderKind = kindOf(game, holder);
    if (holder === inventoryOf(game)) facts.add(`in(${id(entity)},I)`);
    else if (holderKind !== undefined) facts.add(`${placeOf(holderKind)}(${id(entity)},${id(holder)})`);
    const condition = world.conditions[entity];
    if (condition !== undefined) facts.add(`${condition}(${id(entity)})`);
    const key = game.keys[entity];
    if (key !== undefined) facts.add(`match(${id(key)},${id(entity)})`);
    if (game.entities[entity]?.isSharp) facts.add(`sharp(${id(entity)})`);
    addFood(game, world, { thing: entity, facts });
  }
  addRecipe(game, facts);
  return facts;
}

/** Returns a condition of a quest in the notation of `Action`. */
export function toFactText(game: Game, fact: Fact): string {
  const id = (entity: number): string => game.entities[entity]?.id ?? "I";
  switch (fact.is) {
    case "player at":
      return `at(P,${id(fact.room)})`;
    case "held": {
      const place = fact.holder === inventoryOf(game) ? "in" : placeOf(kindOf(game, fact.holder));
      return `${place}(${id(fact.thing)},${id(fact.holder)})`;
    }
    case "eaten":
      return `${game.recipe === undefined ? "eaten" : "consumed"}(${id(fact.thing)})`;
    case "needs cooking":
      return `needs_cooking(${id(fact.thing)})`;
    case "open":
    case "closed":
    case "locked":
    case "raw":
    case "cooked":
    case "burned":
    case "fried":
    case "roasted":
    case "grilled":
    case "chopped":
    case "sliced":
    case "diced":
      return `${fact.is}(${id(fact.thing)})`;
  }
}

function addExits(game: Game, world: World, { room, facts }: { room: number; facts: Set<string> }): void {
  const here = game.entities[room]?.id ?? "";
  for (const { direction, room: target, door } of game.exits[room] ?? []) {
    const there = game.entities[target]?.id ?? "";
    facts.add(positionFact(direction, here, there));
    if (door !== undefined) facts.add(`link(${here},${game.entities[door]?.id ?? ""},${there})`);
    if (door === undefined || world.conditions[door] === "open") facts.add(`free(${here},${there})`);
  }
}

function addFood(game: Game, world: World, { thing, facts }: { thing: number; facts: Set<string> }): void {
  const food = world.foods[thing];
  const id = game.entities[thing]?.id ?? "";
  if (food === undefined) return;
  if (game.recipe === undefined) facts.add(food.isEaten ? `eaten(${id})` : `edible(${id})`);
  else {
    facts.add(food.isEaten ? `consumed(${id})` : `${food.isEdible ? "edible" : "inedible"}(${id})`);
    if (food.isDrinkable) facts.add(`drinkable(${id})`);
    if (food.heat !== undefined) facts.add(`${food.heat === "needs cooking" ? "needs_cooking" : food.heat}(${id})`);
    if (food.cooking !== undefined) facts.add(`${food.cooking}(${id})`);
    if (food.cutting !== undefined) facts.add(`${food.cutting}(${id})`);
  }
}

function addRecipe({ recipe, entities }: Game, facts: Set<string>): void {
  if (recipe === undefined) return;
  facts.add(`cooking_location(${entities[recipe.kitchen]?.id ?? ""},RECIPE)`);
  facts.add(`out(${entities[recipe.meal]?.id ?? ""},RECIPE)`);
  for (const [i, { food }] of recipe.ingredients.entries())
    facts.add(`ingredient_${i + 1}(${entities[food]?.id ?? ""})`);
}
