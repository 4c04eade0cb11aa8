import { cutVerbs, isHeat } from "./command.ts";
import {
  cuttings,
  inventoryOf,
  isCarried,
  kindOf,
  moveTo,
  nameOf,
  nowhereOf,
  type Cooking,
  type Food,
  type Game,
  type World,
} from "./game.ts";
import { refuseCarrying, the, type Outcome } from "./outcome.ts";

export function consume(game: Game, world: World, { verb, thing }: { verb: "eat" | "drink"; thing: number }): Outcome {
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

export function cook(game: Game, world: World, { thing, other }: { thing: number; other: number }): Outcome {
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

export function cut(
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

export function prepareMeal(game: Game, world: World): Outcome {
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
