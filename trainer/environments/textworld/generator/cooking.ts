import type { TextWorldSpec } from "#trainer/spec/environments/textworld.ts";
import type { Rng } from "#trainer/spec/rng.ts";
import { cutVerbs } from "../command.ts";
import {
  cookings,
  cuttings,
  inventoryOf,
  type Cooking,
  type Cutting,
  type Event,
  type Game,
  type Quest,
  type Recipe,
} from "../game.ts";
import { buildGame, withRecipe, type Blueprint, type Thing } from "./blueprint.ts";
import { pick, shuffle } from "../../chance.ts";
import { doorNames, foodKinds, furniture, heldOutFoods, neighbors, roomGroups, type FoodKind } from "./cookingNames.ts";
import { namedLayout, type Layout } from "./layout.ts";
import { makeWriter } from "./prose.ts";
import { withQuests, type Generated } from "./quest.ts";

const cookVerbs: Readonly<Record<Cooking, string>> = { fried: "fry", roasted: "roast", grilled: "grill" };

type Ingredient = { readonly kind: FoodKind; readonly cooking?: Cooking; readonly cutting?: Cutting };

/** Generates a cooking game: read the cookbook, find and prepare its ingredients, and eat the meal. */
export function generateCooking(spec: TextWorldSpec, isUnseen: boolean, rng: Rng): Generated | undefined {
  const names = roomsFor(spec.rooms);
  const layout = namedLayout(names, neighbors, rng);
  if (layout === undefined) return undefined;
  const pieces = furniture.filter(
    ({ room, isAlwaysThere }) => names.includes(room) && (isAlwaysThere === true || rng.next() < 0.5),
  );
  const hasGrill = pieces.some(({ kind }) => kind === "barbecue");
  const ingredients = pickIngredients(spec, { isUnseen, hasGrill, pieces, rng });
  if (ingredients === undefined) return undefined;
  const others = shuffle(foodKinds, rng)
    .filter(
      (kind) => ingredients.every((ingredient) => ingredient.kind !== kind) && homeOf(kind, pieces, rng) !== undefined,
    )
    .slice(0, spec.distractors);
  const blueprint = makeBlueprint(spec, { names, layout, pieces, ingredients, others, rng });
  const built = buildGame(blueprint, makeWriter(spec.prose, rng));
  const at = (name: string): number => built.entities.findIndex((entity) => entity.name === name);
  const recipe: Recipe = {
    kitchen: at("kitchen"),
    meal: at("meal"),
    numListed: ingredients.length,
    ingredients: ingredients.map(({ kind, cooking, cutting }) => ({
      food: at(kind.name),
      ...(cooking === undefined ? {} : { cooking }),
      ...(cutting === undefined ? {} : { cutting }),
    })),
  };
  const numHands = ingredients.length + (ingredients.length === 1 && spec.cut ? 1 : 0);
  const game = withRecipe(built, recipe, spec.carryLimit ? numHands : undefined);
  const objective = { detailed: `${hunger} ${writeRecipe(ingredients)}`, brief: hunger, none: "" }[spec.objective];
  const structure = ingredients.flatMap(({ kind, cooking, cutting }) => [
    ...(heldOutFoods.has(kind.name) ? [`held out ${kind.name}`] : []),
    ...(cooking === undefined && cutting === undefined ? [] : [`${cutting ?? ""} ${cooking ?? ""} ${kind.name}`]),
  ]);
  return { game: withQuests(game, makeQuests(game, recipe), objective), walkthrough: [], structure };
}

const hunger = "You are hungry! Cook a meal by the cookbook in the kitchen, then eat it.";

/** Returns the rooms of the first groups (`roomGroups`) that together fit into `numRooms` rooms; always the kitchen. */
export function roomsFor(numRooms: number): readonly string[] {
  let rooms: readonly string[] = [];
  for (const group of roomGroups) {
    // A later, smaller group would make a world that TextWorld's generator does not have.
    if (rooms.length > 0 && rooms.length + group.length > numRooms) break;
    rooms = [...rooms, ...group];
  }
  return rooms;
}

type Piece = (typeof furniture)[number];

function homeOf({ homes }: FoodKind, pieces: readonly Piece[], rng: Rng): string | undefined {
  const found = homes.filter((home) => home === "garden" || pieces.some(({ name }) => name === home));
  const known = found.filter((home) => home !== "garden" || pieces.some(({ room }) => room === "backyard"));
  return known.length === 0 ? undefined : pick(known, rng);
}

/** Samples foods that allow the treatments required by the recipe. Training games use no held-out food. */
function pickIngredients(
  spec: TextWorldSpec,
  { isUnseen, hasGrill, pieces, rng }: { isUnseen: boolean; hasGrill: boolean; pieces: readonly Piece[]; rng: Rng },
): readonly Ingredient[] | undefined {
  const suitable = foodKinds.filter(
    (kind) =>
      (isUnseen || !heldOutFoods.has(kind.name)) &&
      (!spec.cook || kind.food.heat !== undefined) &&
      (!spec.cut || kind.food.cutting !== undefined) &&
      (spec.cook || kind.food.heat !== "needs cooking") &&
      homeOf(kind, pieces, rng) !== undefined,
  );
  const chosen = shuffle(suitable, rng).slice(0, spec.ingredients);
  if (chosen.length < spec.ingredients) return undefined;
  const ways = cookings.filter((way) => way !== "grilled" || hasGrill);
  return chosen
    .sort((a, b) => (a.name < b.name ? -1 : 1))
    .map((kind) => ({
      kind,
      ...(spec.cook ? { cooking: pick(ways, rng) } : {}),
      ...(spec.cut ? { cutting: pick(cuttings, rng) } : {}),
    }));
}

type World = {
  names: readonly string[];
  layout: Layout;
  pieces: readonly Piece[];
  ingredients: readonly Ingredient[];
  others: readonly FoodKind[];
  rng: Rng;
};

function makeBlueprint(spec: TextWorldSpec, world: World): Blueprint {
  const { names, layout, pieces, ingredients, others, rng } = world;
  const roomId = (name: string): string => `r_${names.indexOf(name)}`;
  const pieceId = (name: string): string => `${name.replaceAll(" ", "_")}_0`;
  const doors: { id: string; name: string; condition: "open" | "closed" }[] = [];
  const links = layout.passages.map(({ from, direction, to }) => {
    const link = { from: `r_${from}`, direction, to: `r_${to}` };
    const named = doorNames.find(([a, b]) => [a, b].every((name) => name === names[from] || name === names[to]));
    if (named === undefined || spec.doors === "none") return link;
    const free = named[2].filter((name) => doors.every((door) => door.name !== name));
    const door = { id: `d_${doors.length}`, name: pick(free, rng), condition: "closed" as const };
    doors.push(door);
    return { ...link, door: door.id };
  });
  const foods = [...ingredients.map(({ kind }) => kind), ...others];
  const surfaces = ["counter", "table"] as const;
  const things: readonly Thing[] = [
    ...pieces.map(({ name, kind, room, condition }): Thing => ({
      id: pieceId(name),
      name,
      kind,
      holder: roomId(room),
      ...(condition === undefined ? {} : { condition: spec.doors === "none" ? "open" : condition }),
    })),
    ...foods.map(({ name, food, article, homes }, i): Thing => {
      const home = homeOf({ name, food, homes }, pieces, rng) ?? "counter";
      const holder = home === "garden" ? roomId("garden") : pieceId(home);
      return { id: `f_${i}`, kind: "food", name, food, holder, ...(article === undefined ? {} : { article }) };
    }),
    {
      id: "o_0",
      kind: "object",
      name: "cookbook",
      holder: pieceId(pick(surfaces, rng)),
      description: writeRecipe(ingredients),
    },
    ...(spec.cut || rng.next() < 0.5
      ? [{ id: "o_1", kind: "object", name: "knife", isSharp: true, holder: pieceId(pick(surfaces, rng)) } as const]
      : []),
    { id: "meal_0", kind: "meal", name: "meal", food: { isEdible: true } },
  ];
  return {
    rooms: names.map((name, i) => ({ id: `r_${i}`, name })),
    links,
    doors,
    things,
    start: `r_${rng.int(names.length)}`,
  };
}

/** Returns a recipe: `Ingredients: carrot, red onion. Directions: slice the carrot, fry the carrot, prepare meal.` */
function writeRecipe(ingredients: readonly Ingredient[]): string {
  const directions = ingredients.flatMap(({ kind, cooking, cutting }) => [
    ...(cutting === undefined ? [] : [`${cutVerbs[cutting]} the ${kind.name}`]),
    ...(cooking === undefined ? [] : [`${cookVerbs[cooking]} the ${kind.name}`]),
  ]);
  const names = ingredients.map(({ kind }) => kind.name).join(", ");
  return `Ingredients: ${names}. Directions: ${[...directions, "prepare meal"].join(", ")}.`;
}

/** Makes quests of one point each: ingredients, treatments, meal, eating it. A spoiled ingredient loses the game. */
function makeQuests(game: Game, { ingredients, meal }: Recipe): readonly Quest[] {
  const carried = (thing: number): Event => [{ is: "held", thing, holder: inventoryOf(game) }];
  const eaten = (thing: number): Event => [{ is: "eaten", thing }];
  const treatments = ingredients.flatMap(({ food, cooking, cutting }): readonly Quest[] => {
    const wrong = [...cookings, ...cuttings].filter((way) => way !== cooking && way !== cutting);
    return [
      { reward: 0, wins: [], fails: [[{ is: "burned", thing: food }]] },
      { reward: 1, wins: [carried(food)], fails: [] },
      ...(cooking === undefined ? [] : [{ reward: 1, wins: [[{ is: cooking, thing: food } as const]], fails: [] }]),
      ...(cutting === undefined ? [] : [{ reward: 1, wins: [[{ is: cutting, thing: food } as const]], fails: [] }]),
      { reward: 0, wins: [], fails: [eaten(food), ...wrong.map((is): Event => [{ is, thing: food }])] },
    ];
  });
  return [
    ...treatments,
    { reward: 1, wins: [carried(meal)], fails: [] },
    { reward: 1, wins: [eaten(meal)], fails: [[{ is: "burned", thing: meal }]] },
  ];
}

/** Texts that contain all words of recipes, for a small policy's vocabulary. */
export const recipeTexts: readonly string[] = [
  hunger,
  "Ingredients: Directions: the, prepare meal.",
  Object.values(cookVerbs).join(" "),
];
