import type { Food } from "../game.ts";
import type { Thing } from "./blueprint.ts";

const raw: Food = { heat: "raw", cutting: "uncut", isEdible: true };
const meat: Food = { heat: "needs cooking", isEdible: false };
const cuttableMeat: Food = { ...meat, cutting: "uncut" };
const herb: Food = { cutting: "uncut", isEdible: true };
const spice: Food = { isEdible: true };
const oil: Food = { isEdible: false };
const drink: Food = { isEdible: false, isDrinkable: true };

export type FoodKind = {
  readonly name: string;
  readonly food: Food;
  readonly homes: readonly string[];
  readonly article?: string;
};

const kinds: readonly (readonly [food: Food, homes: string, names: string, article?: string])[] = [
  [raw, "fridge garden", "carrot, red onion, white onion, yellow onion, lettuce"],
  [raw, "fridge garden", "red bell pepper, yellow bell pepper, green bell pepper, orange bell pepper"],
  [raw, "counter garden", "red apple, yellow apple, green apple, banana, tomato, red hot pepper, green hot pepper"],
  [raw, "fridge showcase", "block of cheese"],
  [cuttableMeat, "counter garden", "red potato, yellow potato, purple potato"],
  [cuttableMeat, "fridge showcase", "pork chop, red tuna, white tuna"],
  [meat, "fridge showcase", "egg, chicken wing, chicken leg, chicken breast"],
  [herb, "fridge garden", "cilantro, parsley"],
  [spice, "shelf showcase", "black pepper, flour, salt, sugar"],
  [oil, "shelf showcase", "vegetable oil, peanut oil, olive oil", "some"],
  [drink, "fridge showcase", "milk, water", "some"],
];

/** Foods of the cooking games, with the treatments that they allow and the places where they are usually found. */
export const foodKinds: readonly FoodKind[] = kinds.flatMap(([food, homes, names, article]) =>
  names
    .split(", ")
    .map((name) => ({ name, food, homes: homes.split(" "), ...(article === undefined ? {} : { article }) })),
);

/** Foods held out for evaluation: no training recipe contains them. */
export const heldOutFoods: ReadonlySet<string> = new Set([
  "green apple",
  "red tuna",
  "green bell pepper",
  "lettuce",
  "peanut oil",
  "yellow onion",
  "egg",
  "tomato",
]);

/** Rooms in the groups in which TextWorld's own generator adds them: worlds of 1, 6, 9 and 12 rooms. */
export const roomGroups = [
  ["kitchen"],
  ["pantry", "living room", "corridor", "bedroom", "bathroom"],
  ["shed", "garden", "backyard"],
  ["driveway", "street", "supermarket"],
] as const;

export const neighbors: Readonly<Record<string, readonly string[]>> = {
  kitchen: ["living room", "backyard", "corridor", "pantry"],
  pantry: ["kitchen"],
  "living room": ["kitchen", "bedroom", "driveway", "corridor"],
  bathroom: ["corridor"],
  bedroom: ["living room", "corridor"],
  backyard: ["kitchen", "garden", "shed", "corridor"],
  garden: ["backyard"],
  shed: ["backyard"],
  driveway: ["living room", "street", "corridor"],
  street: ["driveway", "supermarket"],
  corridor: ["living room", "kitchen", "bedroom", "bathroom", "driveway", "backyard"],
  supermarket: ["street"],
};

/** Pairs of rooms with a door between them, and possible names of the door. */
export const doorNames: readonly (readonly [string, string, readonly string[]])[] = [
  ["pantry", "kitchen", ["frosted-glass door", "plain door"]],
  ["kitchen", "backyard", ["sliding patio door", "patio door", "screen door"]],
  ["corridor", "backyard", ["sliding patio door", "patio door", "screen door"]],
  ["backyard", "shed", ["barn door", "wooden door"]],
  ["living room", "driveway", ["front door", "fiberglass door"]],
  ["corridor", "driveway", ["front door", "fiberglass door"]],
  ["supermarket", "street", ["sliding door", "commercial glass door"]],
];

type Furniture = Pick<Thing, "kind" | "name" | "condition"> & { readonly room: string; readonly isAlwaysThere?: true };

export const furniture: readonly Furniture[] = [
  { kind: "container", name: "fridge", room: "kitchen", condition: "closed", isAlwaysThere: true },
  { kind: "supporter", name: "counter", room: "kitchen", isAlwaysThere: true },
  { kind: "supporter", name: "table", room: "kitchen", isAlwaysThere: true },
  { kind: "stove", name: "stove", room: "kitchen", isAlwaysThere: true },
  { kind: "oven", name: "oven", room: "kitchen", condition: "closed", isAlwaysThere: true },
  { kind: "supporter", name: "shelf", room: "pantry", isAlwaysThere: true },
  { kind: "barbecue", name: "barbecue", room: "backyard", isAlwaysThere: true },
  { kind: "supporter", name: "showcase", room: "supermarket", isAlwaysThere: true },
  { kind: "supporter", name: "patio table", room: "backyard" },
  { kind: "supporter", name: "patio chair", room: "backyard" },
  { kind: "supporter", name: "sofa", room: "living room" },
  { kind: "supporter", name: "bed", room: "bedroom" },
  { kind: "supporter", name: "toilet", room: "bathroom" },
  { kind: "supporter", name: "workbench", room: "shed" },
  { kind: "container", name: "toolbox", room: "shed", condition: "closed" },
];

/** Texts that contain all words of cooking games, for a small policy's vocabulary. */
export const cookingTexts: readonly string[] = [
  ...foodKinds.map(({ name }) => name),
  ...roomGroups.flat(),
  ...doorNames.flatMap(([, , names]) => names),
  ...furniture.map(({ name }) => name),
  "cookbook, knife, meal, some",
];
