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
import { capitalise } from "./words.ts";

export function perform(game: Game, world: World, command: Command): Outcome {
  switch (command.verb) {
    case "look":
      return look(game, world);
    case "inventory":
      return done(world, describeInventory(game, world), 3);
    case "go":
      return go(game, world, command.direction);
    case "prepare meal":
      return prepareMeal(game, world);
    case "examine":
      return done(world, examine(game, world, command.thing), 3);
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

function done(world: World, text: string, numBreaks = 2): Outcome {
  return { world, text, isDone: true, numBreaks };
}

function refuse(world: World, text: string, numBreaks = 2): Outcome {
  return { world, text, isDone: false, numBreaks };
}

function look(game: Game, world: World): Outcome {
  const numBreaks = thingsOnFloor(game, world).length > 0 ? 2 : 3;
  return done(world, describeRoom(game, world), numBreaks);
}

function go(game: Game, world: World, direction: Direction): Outcome {
  const exit = exitOf(game, world, direction);
  if (exit === undefined) return refuse(world, blocked);
  if (exit.door !== undefined && world.conditions[exit.door] !== "open")
    return done(world, `You have to open the ${nameOf(game, exit.door)} first.`);
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
  if (condition === undefined) return refuse(world, "It isn't something you can open.");
  if (condition === "open") return refuse(world, "That's already open.");
  if (condition === "locked") {
    const key = game.keys[thing];
    const name = nameOf(game, thing);
    if (key === undefined) return refuse(world, `The ${name} is welded shut.`);
    return refuse(world, `You have to unlock the ${name} with the ${nameOf(game, key)} first.`);
  }
  const inside = isContainer(kindOf(game, thing)) ? (world.contents[thing] ?? []) : [];
  const revealed = inside.length === 0 ? "" : `, revealing ${listThings(game, world, inside)}`;
  return done(
    { ...world, conditions: world.conditions.with(thing, "open") },
    `You open ${the(game, thing)}${revealed}.`,
  );
}

function close(game: Game, world: World, thing: number): Outcome {
  const condition = world.conditions[thing];
  if (condition === undefined) return refuse(world, "It isn't something you can close.");
  if (condition !== "open") return refuse(world, "That's already closed.");
  return done({ ...world, conditions: world.conditions.with(thing, "closed") }, `You close ${the(game, thing)}.`);
}

function take(game: Game, world: World, { thing, from }: { thing: number; from: number }): Outcome {
  if (isCarried(game, world, thing)) return refuse(world, "You already have that.", 3);
  if (!isPortable(kindOf(game, thing))) return refuse(world, "That's fixed in place.", 3);
  if (world.holders[thing] !== from) return refuse(world, `But ${the(game, thing)} isn't there now.`, 3);
  if (isFull(game, world)) return refuse(world, "You're carrying too many things already.", 3);
  const text =
    from === world.room
      ? `You pick up ${the(game, thing)} from the ground.`
      : `You take ${the(game, thing)} from ${the(game, from)}.`;
  return done(moveTo(world, thing, inventoryOf(game)), text, 3);
}

function drop(game: Game, world: World, thing: number): Outcome {
  if (!isCarried(game, world, thing)) return refuse(world, "You haven't got that.");
  return done(moveTo(world, thing, world.room), `You drop ${the(game, thing)} on the ground.`);
}

function put(
  game: Game,
  world: World,
  { verb, thing, other }: { verb: "put" | "insert"; thing: number; other: number },
): Outcome {
  const kind = kindOf(game, other);
  const refusal = refuseCarrying(game, world, thing);
  if (refusal !== undefined) return refuse(world, refusal);
  if (verb === "put" && !isSupporter(kind))
    return refuse(world, `Putting things on ${the(game, other)} would achieve nothing.`);
  if (verb === "insert" && !isContainer(kind)) return refuse(world, "That can't contain things.");
  if (!isAccessible(game, world, other)) return refuse(world, `The ${nameOf(game, other)} is closed.`);
  const way = verb === "put" ? "on" : "into";
  return done(moveTo(world, thing, other), `You put ${the(game, thing)} ${way} ${the(game, other)}.`);
}

function turnKey(
  game: Game,
  world: World,
  { verb, thing, other }: { verb: "lock" | "unlock"; thing: number; other: number },
): Outcome {
  const condition = world.conditions[thing];
  const refusal = refuseCarrying(game, world, other);
  if (refusal !== undefined) return refuse(world, refusal);
  if (condition === undefined) return refuse(world, `It doesn't seem to be something you can ${verb}.`);
  if (verb === "unlock" && condition !== "locked") return refuse(world, "It's unlocked at the moment.");
  if (verb === "lock" && condition === "locked") return refuse(world, "That's locked at the moment.");
  if (verb === "lock" && condition === "open")
    return refuse(world, `First you would have to close ${the(game, thing)}.`);
  if (game.keys[thing] !== other) return refuse(world, "It doesn't seem to fit the lock.");
  return done(
    { ...world, conditions: world.conditions.with(thing, verb === "lock" ? "locked" : "closed") },
    `You ${verb} ${the(game, thing)}.`,
  );
}

function consume(game: Game, world: World, { verb, thing }: { verb: "eat" | "drink"; thing: number }): Outcome {
  const food = world.foods[thing];
  if (verb === "drink") {
    const refusal = refuseCarrying(game, world, thing);
    if (refusal !== undefined) return refuse(world, refusal);
    if (!food?.isDrinkable) return refuse(world, `You cannot drink ${the(game, thing)}.`);
  } else {
    if (food === undefined) return refuse(world, "That's plainly inedible.");
    const refusal = refuseCarrying(game, world, thing);
    if (refusal !== undefined) return refuse(world, refusal);
    if (food.heat === "needs cooking") return refuse(world, `You should cook ${the(game, thing)} first.`);
    if (!food.isEdible) return refuse(world, "That's plainly inedible.");
  }
  const eaten: Food = { ...food, isEdible: false, isEaten: true };
  return done(
    withFood(moveTo(world, thing, nowhereOf(game)), thing, eaten),
    `You ${verb} ${the(game, thing)}. Not bad.`,
  );
}

function withFood(world: World, thing: number, food: Food): World {
  return { ...world, foods: world.foods.with(thing, food) };
}

function cook(game: Game, world: World, { thing, other }: { thing: number; other: number }): Outcome {
  const food = world.foods[thing];
  const refusal = refuseCarrying(game, world, thing);
  if (refusal !== undefined) return refuse(world, refusal);
  if (food?.heat === undefined) return refuse(world, "Can only cook food.");
  if (!isHeat(game, other)) return refuse(world, "Cooking requires a source of heat.");
  if (food.heat === "cooked" || food.heat === "burned")
    return done(
      withFood(world, thing, { ...food, heat: "burned", isEdible: false }),
      `You burned ${the(game, thing)}!`,
      3,
    );
  const cooking = cookingOf(game, other);
  return done(
    withFood(world, thing, { ...food, heat: "cooked", cooking, isEdible: true }),
    `You ${cooking} ${the(game, thing)}.`,
    3,
  );
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
  const food = world.foods[thing];
  const refusal = refuseCarrying(game, world, thing) ?? refuseCarrying(game, world, other);
  if (refusal !== undefined) return refuse(world, refusal);
  if (food?.cutting === undefined) return refuse(world, "Can only cut cuttable food.");
  if (food.cutting !== "uncut") return refuse(world, `${capitalise(the(game, thing))} is already ${food.cutting}.`);
  if (!game.entities[other]?.isSharp) return refuse(world, "Cutting something requires a knife.");
  const cutting = cuttings.find((way) => cutVerbs[way] === verb) ?? "chopped";
  return done(withFood(world, thing, { ...food, cutting }), `You ${verb} ${the(game, thing)}.`, 3);
}

function prepareMeal(game: Game, world: World): Outcome {
  const { recipe } = game;
  if (recipe === undefined) return refuse(world, "You still miss something.");
  if (world.room !== recipe.kitchen)
    return refuse(world, `Can only prepare meal in the ${nameOf(game, recipe.kitchen)}.`);
  for (const { food, cooking, cutting } of recipe.ingredients) {
    if (!isCarried(game, world, food)) return refuse(world, "You still miss something.");
    if (world.foods[food]?.cooking !== cooking) return refuse(world, "Something still needs to be cooked.");
    if ((world.foods[food]?.cutting ?? "uncut") !== (cutting ?? "uncut"))
      return refuse(world, "Something still needs to be cut.");
  }
  const used = recipe.ingredients.reduce((now, { food }) => moveTo(now, food, nowhereOf(game)), world);
  const prepared: Food = { heat: "raw", isEdible: true };
  return done(
    withFood(moveTo(used, recipe.meal, inventoryOf(game)), recipe.meal, prepared),
    "Adding the meal to your inventory.",
    3,
  );
}
