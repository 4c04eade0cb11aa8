import { z } from "zod";
import {
  cookings,
  cuttings,
  type Condition,
  type Cooking,
  type Cutting,
  type Entity,
  type Exit,
  type Fact,
  type Food,
  type Game,
  type Heat,
  type Kind,
  type World,
} from "../game.ts";
import { compileText } from "../template.ts";

const Proposition = z.object({
  name: z.string(),
  arguments: z.array(z.object({ name: z.string(), type: z.string() })),
});
type Proposition = z.infer<typeof Proposition>;

export const ActionRecord = z.object({
  name: z.string(),
  preconditions: z.array(Proposition),
  postconditions: z.array(Proposition),
});
export type ActionRecord = z.infer<typeof ActionRecord>;

const EventRecord = z.object({ actions: z.array(ActionRecord), condition: ActionRecord });

/** Schema of a game in the JSON format that TextWorld saves beside a compiled game. */
export const GameFile = z.object({
  world: z.array(Proposition),
  infos: z.array(
    z.tuple([
      z.string(),
      z.object({
        id: z.string(),
        type: z.string(),
        name: z.string().nullable(),
        desc: z.string().nullable(),
        indefinite: z.string().nullish(),
      }),
    ]),
  ),
  quests: z.array(
    z.object({
      reward: z.int(),
      optional: z.boolean().optional(),
      win_events: z.array(EventRecord),
      fail_events: z.array(EventRecord),
    }),
  ),
  objective: z.string(),
  KB: z.object({ logic: z.string() }),
});
export type GameFile = z.infer<typeof GameFile>;

const kinds: Readonly<Record<string, Kind>> = {
  r: "room",
  d: "door",
  c: "container",
  s: "supporter",
  o: "object",
  k: "key",
  f: "food",
  meal: "meal",
  stove: "stove",
  oven: "oven",
  toaster: "barbecue",
};

export function readGame(file: GameFile): Game {
  const typeOrder = [...file.KB.logic.matchAll(/^type (\w+)/gm)]
    .map(([, type = ""]) => type)
    .sort((a, b) => (a < b ? -1 : 1));
  const listed = file.infos
    .map(([, info]) => info)
    .flatMap((info) => (kinds[info.type] === undefined ? [] : [{ ...info, kind: kinds[info.type] ?? "object" }]))
    // Entities are sorted as in the compiled game, which decides the order of a holder's things.
    .sort((a, b) => typeOrder.indexOf(a.type) - typeOrder.indexOf(b.type));
  const indices = new Map(listed.map(({ id }, i) => [id, i]));
  const inventory = listed.length;
  const indexOf = (id: string): number => (id === "I" ? inventory : (indices.get(id) ?? inventory + 1));
  const isTrue = (name: string, id: string): boolean =>
    file.world.some((fact) => fact.name === name && fact.arguments[0]?.name === id);
  const entities = listed.map(({ id, kind, name, desc, indefinite }, i): Entity => ({
    id,
    kind,
    name: name ?? "",
    ...(indefinite ? { article: indefinite } : {}),
    ...(isTrue("sharp", id) ? { isSharp: true } : {}),
    description: compileText(kind === "room" ? tidy(quote(desc ?? "")) : quote(desc ?? ""), indexOf, i),
  }));
  const recipe = readRecipe(file, indexOf);
  const slots = file.infos.filter(([, { type }]) => type === "slot").length;
  const game = {
    entities,
    exits: readExits(file, indexOf, entities.length),
    keys: entities.map(({ id }) => {
      const match = file.world.find((fact) => fact.name === "match" && fact.arguments[1]?.name === id);
      return match?.arguments[0] === undefined ? undefined : indexOf(match.arguments[0].name);
    }),
    quests: file.quests.map(({ reward, win_events, fail_events }) => ({
      reward,
      wins: win_events.map(({ condition }) => condition.preconditions.flatMap((fact) => toFact(fact, indexOf))),
      fails: fail_events.map(({ condition }) => condition.preconditions.flatMap((fact) => toFact(fact, indexOf))),
    })),
    maxScore: file.quests.reduce((sum, { reward }) => sum + reward, 0),
    objective: file.objective,
    start: readWorld(file, entities, indexOf),
    paragraph: "\n\n",
    helps: true,
    examines: {
      carried: file.KB.logic.includes("examine/I :: in("),
      doors: file.KB.logic.includes("examine/d ::"),
    },
  };
  return { ...game, ...(recipe === undefined ? {} : { recipe }), ...(slots === 0 ? {} : { capacity: slots }) };
}

/** Removes spaces after line breaks and at the start of a description, as the compiled games do. */
function tidy(description: string): string {
  return description.replaceAll("\n ", "\n").trimStart();
}

/** Converts single quotes that are not apostrophes to double quotes, as the compiled games print them. */
function quote(description: string): string {
  return description.replaceAll(/(?<![\p{L}\d.])'|'(?![\p{L}\d])/gu, '"');
}

function readExits(
  { world }: GameFile,
  indexOf: (id: string) => number,
  numEntities: number,
): readonly (readonly Exit[])[] {
  const exits = Array.from({ length: numEntities }, (): Exit[] => []);
  const ways = { north_of: "south", south_of: "north", east_of: "west", west_of: "east" } as const;
  const add = (from: string, exit: Exit): void => {
    const known = exits[indexOf(from)];
    if (known?.every(({ direction }) => direction !== exit.direction)) known.push(exit);
  };
  for (const { name, arguments: rooms } of world) {
    const [a, b] = [rooms[0]?.name ?? "", rooms[1]?.name ?? ""];
    if (name !== "north_of" && name !== "south_of" && name !== "east_of" && name !== "west_of") continue;
    const link = world.find((f) => f.name === "link" && f.arguments[0]?.name === a && f.arguments[2]?.name === b);
    const door = link?.arguments[1] === undefined ? {} : { door: indexOf(link.arguments[1].name) };
    // The fact says that entity `a` is north of `b`, so the exit from `a` to `b` leads south.
    const way = ways[name];
    const back = ways[`${way}_of`];
    add(a, { direction: way, room: indexOf(b), ...door });
    add(b, { direction: back, room: indexOf(a), ...door });
  }
  return exits;
}

function readWorld({ world }: GameFile, entities: readonly Entity[], indexOf: (id: string) => number): World {
  const nowhere = entities.length + 1;
  const holders = entities.map(() => nowhere);
  const conditions = entities.map((): Condition | undefined => undefined);
  const foods = entities.map(({ kind }): Food | undefined => (kind === "food" ? { isEdible: false } : undefined));
  let room = 0;
  for (const { name, arguments: of } of world) {
    const thing = indexOf(of[0]?.name ?? "");
    if (name === "at" && of[0]?.name === "P") room = indexOf(of[1]?.name ?? "");
    else if ((name === "at" || name === "in" || name === "on") && thing < entities.length)
      holders[thing] = indexOf(of[1]?.name ?? "");
    else if (name === "open" || name === "closed" || name === "locked") conditions[thing] = name;
    else if (foods[thing] !== undefined) foods[thing] = { ...foods[thing], ...readFood(name) };
  }
  const contents = Array.from({ length: entities.length + 2 }, (_, holder) =>
    [...holders.keys()].filter((thing) => holders[thing] === holder && holder !== nowhere),
  );
  return { room, holders, contents, conditions, foods };
}

function readFood(fact: string): Partial<Food> {
  const heat = heats[fact];
  const cooking = cookings.find((way) => way === fact);
  const cutting = fact === "uncut" ? fact : cuttings.find((way) => way === fact);
  return {
    ...(heat && { heat }),
    ...(cooking && { cooking }),
    ...(cutting && { cutting }),
    ...(fact === "edible" && { isEdible: true }),
    ...(fact === "drinkable" && { isDrinkable: true }),
  };
}

function readRecipe({ world }: GameFile, indexOf: (id: string) => number): Game["recipe"] {
  const kitchen = world.find(({ name }) => name === "cooking_location")?.arguments[0];
  const meal = world.find(({ name }) => name === "out")?.arguments[0];
  if (kitchen === undefined || meal === undefined) return undefined;
  const ingredients = world
    .filter(({ name }) => name === "base")
    .sort((a, b) => (a.arguments[1]?.name ?? "").localeCompare(b.arguments[1]?.name ?? ""))
    .map(({ arguments: [food, ingredient] }) => {
      const facts = world.filter(({ arguments: of }) => of.length === 1 && of[0]?.name === ingredient?.name);
      const cooking = cookings.find((way): way is Cooking => facts.some(({ name }) => name === way));
      const cutting = cuttings.find((way): way is Cutting => facts.some(({ name }) => name === way));
      return {
        food: indexOf(food?.name ?? ""),
        ...(cooking === undefined ? {} : { cooking }),
        ...(cutting === undefined ? {} : { cutting }),
      };
    });
  return { kitchen: indexOf(kitchen.name), meal: indexOf(meal.name), numListed: 1, ingredients };
}

const heats: Readonly<Record<string, Heat>> = {
  raw: "raw",
  needs_cooking: "needs cooking",
  cooked: "cooked",
  burned: "burned",
};

/** Converts a proposition to facts; none if it cannot change or follows from others. */
function toFact({ name, arguments: of }: Proposition, indexOf: (id: string) => number): readonly Fact[] {
  const thing = indexOf(of[0]?.name ?? "");
  const holder = indexOf(of[1]?.name ?? "");
  if (name === "at" && of[0]?.name === "P") return [{ is: "player at", room: holder }];
  if (name === "at" || name === "in" || name === "on") return [{ is: "held", thing, holder }];
  if (name === "open" || name === "closed" || name === "locked") return [{ is: name, thing }];
  if (name === "eaten" || name === "consumed") return [{ is: "eaten", thing }];
  const state = heats[name] ?? cookings.find((way) => way === name) ?? cuttings.find((way) => way === name);
  return state === undefined ? [] : [{ is: state, thing }];
}
