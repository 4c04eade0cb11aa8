export const directions = ["north", "south", "east", "west"] as const;
export type Direction = (typeof directions)[number];

/** Kinds of entities, which are TextWorld's types. Stoves are supporters; ovens and barbecues are containers. */
export type Kind =
  | "room"
  | "door"
  | "container"
  | "supporter"
  | "object"
  | "key"
  | "food"
  | "meal"
  | "stove"
  | "oven"
  | "barbecue";

export type Entity = {
  readonly id: string;
  readonly kind: Kind;
  readonly name: string;
  /** Indefinite article of the name, given only where "a" or "an" would be wrong: "some". */
  readonly article?: string;
  readonly isSharp?: boolean;
  /** Description of a room, without things on the floor; for other entities, the output of `examine`. */
  readonly description: Text;
};

/**
 * A compiled description with the conditionals of TextWorld's grammar. It consists of texts, names, lists of a
 * holder's contents, and branches. The first branch whose tests all pass is shown.
 */
export type Text = readonly TextPiece[];
export type TextPiece =
  | string
  | { readonly name: number }
  | { readonly list: number }
  | { readonly branches: readonly TextBranch[] };
export type TextBranch = { readonly when: readonly TextTest[]; readonly text: Text };
export type TextTest = { readonly of: number; readonly is: Condition | "filled" | "empty" };

export type Exit = { readonly direction: Direction; readonly room: number; readonly door?: number };

/** A condition of a quest. Rooms and things are given as indices into the game's entities. */
export type Fact =
  | { readonly is: "player at"; readonly room: number }
  | { readonly is: "held"; readonly thing: number; readonly holder: number }
  | { readonly is: Condition; readonly thing: number }
  | { readonly is: "eaten"; readonly thing: number }
  | { readonly is: Heat | Cooking | Cutting; readonly thing: number };

/** An event of a quest, which occurs when all these facts hold. */
export type Event = readonly Fact[];

/** A quest is completed when any event in `wins` occurs for the first time. Any event in `fails` loses the game. */
export type Quest = { readonly reward: number; readonly wins: readonly Event[]; readonly fails: readonly Event[] };

export type Condition = "open" | "closed" | "locked";
export type Heat = "raw" | "needs cooking" | "cooked" | "burned";
export const cookings = ["fried", "roasted", "grilled"] as const;
export type Cooking = (typeof cookings)[number];
export const cuttings = ["chopped", "sliced", "diced"] as const;
export type Cutting = (typeof cuttings)[number];

export type Food = {
  /** State of cooking by heat; undefined if the food cannot be cooked. */
  readonly heat?: Heat;
  readonly cooking?: Cooking;
  /** State of cutting; undefined if the food cannot be cut. */
  readonly cutting?: "uncut" | Cutting;
  readonly isEdible: boolean;
  readonly isDrinkable?: boolean;
  readonly isEaten?: boolean;
};

/** Recipe of a cooking game: ingredients to carry to the kitchen to prepare the meal, and their required states. */
export type Recipe = {
  readonly kitchen: number;
  readonly meal: number;
  /** Number of ingredients that the player must carry before the command "prepare meal" is listed; 1 in TextWorld. */
  readonly numListed: number;
  readonly ingredients: readonly { readonly food: number; readonly cooking?: Cooking; readonly cutting?: Cutting }[];
};

/** Constants of a game, which turns do not change. Rooms, doors and things are indices into `entities`. */
export type Game = {
  readonly entities: readonly Entity[];
  readonly exits: readonly (readonly Exit[])[];
  /** Key of each door or container, both as entity indices; undefined if it has no key. */
  readonly keys: readonly (number | undefined)[];
  readonly quests: readonly Quest[];
  readonly maxScore: number;
  readonly objective: string;
  readonly start: World;
  readonly recipe?: Recipe;
  /** Maximum number of things that the player can carry; unlimited if undefined. */
  readonly capacity?: number;
  /** Separator of paragraphs in descriptions: an empty line in TextWorld, a line break or a space in compact prose. */
  readonly paragraph: string;
  /** True if the game understands the command "help", which lists the commands. */
  readonly helps: boolean;
  /** True if carried things (`carried`) or doors (`doors`) can be examined; both false in TextWorld's cooking games. */
  readonly examines: { readonly carried: boolean; readonly doors: boolean };
};

/** One immutable state of a game. Consecutive states share their unchanged parts. */
export type World = {
  readonly room: number;
  /** Holder of each entity: room, container, supporter, inventory (`inventoryOf`), or nowhere (`nowhereOf`). */
  readonly holders: readonly number[];
  /** Entities in each holder (room, container, supporter or inventory), the last moved first. */
  readonly contents: readonly (readonly number[])[];
  /** Condition of each door or container: open, closed or locked; undefined for others. */
  readonly conditions: readonly (Condition | undefined)[];
  readonly foods: readonly (Food | undefined)[];
};

/** Holder index of the player's inventory. Inventory and nowhere are the two holders that are not entities. */
export const inventoryOf = ({ entities }: Pick<Game, "entities">): number => entities.length;
export const nowhereOf = ({ entities }: Pick<Game, "entities">): number => entities.length + 1;

export function kindOf(game: Game, entity: number): Kind | undefined {
  return game.entities[entity]?.kind;
}

export function nameOf(game: Game, entity: number): string {
  return game.entities[entity]?.name ?? "";
}

export const isContainer = (kind: Kind | undefined): boolean =>
  kind === "container" || kind === "oven" || kind === "barbecue";
export const isSupporter = (kind: Kind | undefined): boolean => kind === "supporter" || kind === "stove";
export const isPortable = (kind: Kind | undefined): boolean =>
  kind === "object" || kind === "key" || kind === "food" || kind === "meal";

export function isCarried(game: Game, world: World, entity: number): boolean {
  return world.holders[entity] === inventoryOf(game);
}

/** True if a holder's contents can be seen and taken: always for a supporter, while open for a container. */
export function isAccessible(game: Game, world: World, holder: number): boolean {
  const kind = kindOf(game, holder);
  return isSupporter(kind) || (isContainer(kind) && world.conditions[holder] === "open");
}

/** Lists every entity that the player can see: things in the room and in open holders, doors, the inventory. */
export function entitiesInScope(game: Game, world: World): readonly number[] {
  const scope = [...(world.contents[inventoryOf(game)] ?? [])];
  for (const entity of world.contents[world.room] ?? []) {
    scope.push(entity);
    if (isAccessible(game, world, entity)) scope.push(...(world.contents[entity] ?? []));
  }
  for (const { door } of game.exits[world.room] ?? []) if (door !== undefined) scope.push(door);
  return scope;
}

/** Moves a thing to a holder and returns the new world. The thing becomes the first of the holder's things. */
export function moveTo(world: World, thing: number, holder: number): World {
  const from = world.holders[thing] ?? holder;
  const contents = [...world.contents];
  contents[from] = (contents[from] ?? []).filter((other) => other !== thing);
  contents[holder] = [thing, ...(contents[holder] ?? [])];
  return { ...world, contents, holders: world.holders.with(thing, holder) };
}

export function holds(world: World, fact: Fact): boolean {
  switch (fact.is) {
    case "player at":
      return world.room === fact.room;
    case "held":
      return world.holders[fact.thing] === fact.holder;
    case "open":
    case "closed":
    case "locked":
      return world.conditions[fact.thing] === fact.is;
    case "eaten":
      return world.foods[fact.thing]?.isEaten ?? false;
    case "raw":
    case "needs cooking":
    case "cooked":
    case "burned":
      return world.foods[fact.thing]?.heat === fact.is;
    case "fried":
    case "roasted":
    case "grilled":
      return world.foods[fact.thing]?.cooking === fact.is;
    case "chopped":
    case "sliced":
    case "diced":
      return world.foods[fact.thing]?.cutting === fact.is;
  }
}
