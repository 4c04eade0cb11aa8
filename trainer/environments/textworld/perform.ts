import { blocked } from "./parse.ts";
import { type Outcome, refuseCarrying, the } from "./outcome.ts";
import { type Command, cutVerbs, exitOf, isFull, isHeat } from "./command.ts";
import { describeInventory, describeRoom, thingsOnFloor } from "./describe.ts";
import {
  type Cooking,
  cuttings,
  type Direction,
  type Food,
  type Game,
  inventoryOf,
  isAccessible,
  isCarried,
  isContainer,
  isPortable,
  isSupporter,
  kindOf,
  moveTo,
  nameOf,
  nowhereOf,
  type World,
} from "./game.ts";
import { describeContents, listThings, renderText } from "./template.ts";

/** Executes a command and returns the new world, or the refusal that the compiled games print. */
export function perform(game: Game, world: World, command: Command): Outcome {
  const print = (text: string): Outcome => ({ world, text, isDone: true, numBreaks: 3 });
  switch (command.verb) {
    case "look":
      return look(game, world);
    case "inventory":
      return print(describeInventory(game, world));
    case "go":
      return go(game, world, command.direction);
    case "prepare meal":
      return prepareMeal(game, world);
    case "examine":
      return print(examine(game, world, command.thing));
    case "open":
      return open(game, world, command.thing);
    case "close":
      return close(game, world, command.thing);
    case "take":
      return take(game, world, { thing: command.thing, from: world.holders[command.thing] ?? world.room });
    case "take from":
      return take(game, world, { thing: command.thing, from: command.other });
    case "drop":
      return drop(game, world, command.thing);
    case "put":
    case "insert":
      return put(game, world, command);
    case "lock":
    case "unlock":
      return turnKey(game, world, command);
    case "eat":
    case "drink":
      return consume(game, world, command);
    case "cook":
      return cook(game, world, command);
    case "chop":
    case "slice":
    case "dice":
      return cut(game, world, command);
  }
}

function look(game: Game, world: World): Outcome {
  const numBreaks = thingsOnFloor(game, world).length > 0 ? 2 : 3;
  return { world, text: describeRoom(game, world), isDone: true, numBreaks };
}

function go(game: Game, world: World, direction: Direction): Outcome {
  const exit = exitOf(game, world, direction);
  if (exit === undefined) return { world, text: blocked, isDone: false, numBreaks: 2 };
  if (exit.door !== undefined && world.conditions[exit.door] !== "open")
    return { world, isDone: true, text: `You have to open the ${nameOf(game, exit.door)} first.`, numBreaks: 2 };
  const { text, ...seen } = look(game, { ...world, room: exit.room });
  return { ...seen, text: `\n${text}` };
}

function examine(game: Game, world: World, thing: number): string {
  const entity = game.entities[thing];
  const text = entity === undefined ? "" : renderText(entity.description, game, world);
  const contents = describeContents(game, world, thing);
  if (contents === "") return text;
  return text === "" ? contents : `${text}${game.paragraph}${contents}`;
}

function open(game: Game, world: World, thing: number): Outcome {
  const condition = world.conditions[thing];
  const refuse = (text: string): Outcome => ({ world, text, isDone: false, numBreaks: 2 });
  if (condition === undefined) return refuse("It isn't something you can open.");
  if (condition === "open") return refuse("That's already open.");
  if (condition === "locked") {
    const key = game.keys[thing];
    const name = nameOf(game, thing);
    if (key === undefined) return refuse(`The ${name} is welded shut.`);
    return refuse(`You have to unlock the ${name} with the ${nameOf(game, key)} first.`);
  }
  const inside = isContainer(kindOf(game, thing)) ? (world.contents[thing] ?? []) : [];
  const revealed = inside.length === 0 ? "" : `, revealing ${listThings(game, world, inside)}`;
  return {
    world: { ...world, conditions: world.conditions.with(thing, "open") },
    isDone: true,
    text: `You open ${the(game, thing)}${revealed}.`,
    numBreaks: 2,
  };
}

function close(game: Game, world: World, thing: number): Outcome {
  const condition = world.conditions[thing];
  if (condition === undefined) return { world, text: "It isn't something you can close.", isDone: false, numBreaks: 2 };
  if (condition !== "open") return { world, text: "That's already closed.", isDone: false, numBreaks: 2 };
  return {
    world: { ...world, conditions: world.conditions.with(thing, "closed") },
    isDone: true,
    text: `You close ${the(game, thing)}.`,
    numBreaks: 2,
  };
}

function take(game: Game, world: World, { thing, from }: { thing: number; from: number }): Outcome {
  const refuse = (text: string): Outcome => ({ world, text, isDone: false, numBreaks: 3 });
  if (isCarried(game, world, thing)) return refuse("You already have that.");
  if (!isPortable(kindOf(game, thing))) return refuse("That's fixed in place.");
  if (world.holders[thing] !== from) return refuse(`But ${the(game, thing)} isn't there now.`);
  if (isFull(game, world)) return refuse("You're carrying too many things already.");
  const text =
    from === world.room
      ? `You pick up ${the(game, thing)} from the ground.`
      : `You take ${the(game, thing)} from ${the(game, from)}.`;
  return { world: moveTo(world, thing, inventoryOf(game)), text, isDone: true, numBreaks: 3 };
}

function drop(game: Game, world: World, thing: number): Outcome {
  if (!isCarried(game, world, thing)) return { world, text: "You haven't got that.", isDone: false, numBreaks: 2 };
  return {
    world: moveTo(world, thing, world.room),
    isDone: true,
    text: `You drop ${the(game, thing)} on the ground.`,
    numBreaks: 2,
  };
}

function put(
  game: Game,
  world: World,
  { verb, thing, other }: { verb: "put" | "insert"; thing: number; other: number },
): Outcome {
  const refuse = (text: string): Outcome => ({ world, text, isDone: false, numBreaks: 2 });
  const kind = kindOf(game, other);
  const refusal = refuseCarrying(game, world, thing);
  if (refusal !== undefined) return refuse(refusal);
  if (verb === "put" && !isSupporter(kind))
    return refuse(`Putting things on ${the(game, other)} would achieve nothing.`);
  if (verb === "insert" && !isContainer(kind)) return refuse("That can't contain things.");
  if (!isAccessible(game, world, other)) return refuse(`The ${nameOf(game, other)} is closed.`);
  const way = verb === "put" ? "on" : "into";
  return {
    world: moveTo(world, thing, other),
    isDone: true,
    text: `You put ${the(game, thing)} ${way} ${the(game, other)}.`,
    numBreaks: 2,
  };
}

function turnKey(
  game: Game,
  world: World,
  { verb, thing, other }: { verb: "lock" | "unlock"; thing: number; other: number },
): Outcome {
  const refuse = (text: string): Outcome => ({ world, text, isDone: false, numBreaks: 2 });
  const condition = world.conditions[thing];
  const refusal = refuseCarrying(game, world, other);
  if (refusal !== undefined) return refuse(refusal);
  if (condition === undefined) return refuse(`It doesn't seem to be something you can ${verb}.`);
  if (verb === "unlock" && condition !== "locked") return refuse("It's unlocked at the moment.");
  if (verb === "lock" && condition === "locked") return refuse("That's locked at the moment.");
  if (verb === "lock" && condition === "open") return refuse(`First you would have to close ${the(game, thing)}.`);
  if (game.keys[thing] !== other) return refuse("It doesn't seem to fit the lock.");
  return {
    world: { ...world, conditions: world.conditions.with(thing, verb === "lock" ? "locked" : "closed") },
    isDone: true,
    text: `You ${verb} ${the(game, thing)}.`,
    numBreaks: 2,
  };
}

function consume(game: Game, world: World, { verb, thing }: { verb: "eat" | "drink"; thing: number }): Outcome {
  const refuse = (text: string): Outcome => ({ world, text, isDone: false, numBreaks: 2 });
  const food = world.foods[thing];
  if (verb === "drink") {
    const refusal = refuseCarrying(game, world, thing);
    if (refusal !== undefined) return refuse(refusal);
    if (!food?.isDrinkable) return refuse(`You cannot drink ${the(game, thing)}.`);
  } else {
    if (food === undefined) return refuse("That's plainly inedible.");
    const refusal = refuseCarrying(game, world, thing);
    if (refusal !== undefined) return refuse(refusal);
    if (food.heat === "needs cooking") return refuse(`You should cook ${the(game, thing)} first.`);
    if (!food.isEdible) return refuse("That's plainly inedible.");
  }
  const eaten: Food = { ...food, isEdible: false, isEaten: true };
  return {
    world: withFood(moveTo(world, thing, nowhereOf(game)), thing, eaten),
    isDone: true,
    text: `You ${verb} ${the(game, thing)}. Not bad.`,
    numBreaks: 2,
  };
}

function withFood(world: World, thing: number, food: Food): World {
  return { ...world, foods: world.foods.with(thing, food) };
}

function cook(game: Game, world: World, { thing, other }: { thing: number; other: number }): Outcome {
  const refuse = (text: string): Outcome => ({ world, text, isDone: false, numBreaks: 2 });
  const food = world.foods[thing];
  const refusal = refuseCarrying(game, world, thing);
  if (refusal !== undefined) return refuse(refusal);
  if (food?.heat === undefined) return refuse("Can only cook food.");
  if (!isHeat(game, other)) return refuse("Cooking requires a source of heat.");
  if (food.heat === "cooked" || food.heat === "burned")
    return {
      world: withFood(world, thing, { ...food, heat: "burned", isEdible: false }),
      isDone: true,
      text: `You burned ${the(game, thing)}!`,
      numBreaks: 3,
    };
  const cooking = cookingOf(game, other);
  return {
    world: withFood(world, thing, { ...food, heat: "cooked", cooking, isEdible: true }),
    isDone: true,
    text: `You ${cooking} ${the(game, thing)}.`,
    numBreaks: 3,
  };
}

function cookingOf(game: Game, heat: number): Cooking {
  const kind = kindOf(game, heat);
  if (kind === "stove") return "fried";
  return kind === "oven" ? "roasted" : "grilled";
}

function cut(
  game: Game,
  world: World,
  { verb, thing, other }: { verb: "chop" | "slice" | "dice"; thing: number; other: number },
): Outcome {
  const refuse = (text: string): Outcome => ({ world, text, isDone: false, numBreaks: 2 });
  const food = world.foods[thing];
  const refusal = refuseCarrying(game, world, thing) ?? refuseCarrying(game, world, other);
  if (refusal !== undefined) return refuse(refusal);
  if (food?.cutting === undefined) return refuse("Can only cut cuttable food.");
  if (food.cutting !== "uncut") return refuse(`${capitalise(the(game, thing))} is already ${food.cutting}.`);
  if (!game.entities[other]?.isSharp) return refuse("Cutting something requires a knife.");
  const cutting = cuttings.find((way) => cutVerbs[way] === verb) ?? "chopped";
  return {
    world: withFood(world, thing, { ...food, cutting }),
    isDone: true,
    text: `You ${verb} ${the(game, thing)}.`,
    numBreaks: 3,
  };
}

function capitalise(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

function prepareMeal(game: Game, world: World): Outcome {
  const refuse = (text: string): Outcome => ({ world, text, isDone: false, numBreaks: 2 });
  const { recipe } = game;
  if (recipe === undefined) return refuse("You still miss something.");
  if (world.room !== recipe.kitchen) return refuse(`Can only prepare meal in the ${nameOf(game, recipe.kitchen)}.`);
  for (const { food, cooking, cutting } of recipe.ingredients) {
    if (!isCarried(game, world, food)) return refuse("You still miss something.");
    if (world.foods[food]?.cooking !== cooking) return refuse("Something still needs to be cooked.");
    if ((world.foods[food]?.cutting ?? "uncut") !== (cutting ?? "uncut"))
      return refuse("Something still needs to be cut.");
  }
  const used = recipe.ingredients.reduce((now, { food }) => moveTo(now, food, nowhereOf(game)), world);
  const prepared: Food = { heat: "raw", isEdible: true };
  return {
    world: withFood(moveTo(used, recipe.meal, inventoryOf(game)), recipe.meal, prepared),
    isDone: true,
    text: "Adding the meal to your inventory.",
    numBreaks: 3,
  };
}
