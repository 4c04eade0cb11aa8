import type { Command, OneThingVerb } from "./command.ts";
import { directions, entitiesInScope, inventoryOf, nameOf, type Game, type World } from "./game.ts";

/** Result of parsing an input: a command, or the output that rejects it, usually without taking game time. */
export type Parsed =
  | { readonly command: Command; readonly note?: string }
  | { readonly answer: string; readonly takesTime?: boolean };

/** Parses a player's input as the compiled games do, with short forms (`n`, `x`), partial names and optional words. */
export function parseCommand(game: Game, world: World, text: string): Parsed {
  const words = text
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== "");
  const [first = "", ...rest] = words;
  if (first === "") return { answer: "I beg your pardon?" };
  if (rest.length === 0 && first === "goal" && game.objective !== "")
    return { answer: game.objective, takesTime: true };
  if (rest.length === 0 && first === "help" && game.helps) return { answer: help, takesTime: true };
  const verb = synonyms.get(first) ?? first;
  const phrase = rest.join(" ");
  const direction = directions.find((way) => way === verb || way.charAt(0) === verb);
  if (direction !== undefined && rest.length === 0) return { command: { verb: "go", direction } };
  switch (verb) {
    case "look":
      if (rest[0] === "at") return parseOne(game, world, { verb: "examine", phrase: rest.slice(1).join(" ") });
      return { command: { verb: "look" } };
    case "inventory":
      return { command: { verb: "inventory" } };
    case "prepare":
      return phrase === "meal" && game.recipe !== undefined
        ? { command: { verb: "prepare meal" } }
        : { answer: notAVerb };
    case "go":
      return parseGo(phrase);
    case "pick":
      return rest[0] === "up"
        ? parseTwo(game, world, { verb: "take", phrase: rest.slice(1).join(" ") })
        : { answer: "I didn't understand that sentence." };
    case "examine":
    case "open":
    case "close":
    case "drop":
    case "eat":
    case "drink":
      if (verb === "drink" && game.recipe === undefined) return { answer: "There's nothing suitable to drink here." };
      return parseOne(game, world, { verb, phrase });
    case "take":
    case "put":
    case "insert":
    case "lock":
    case "unlock":
      return parseTwo(game, world, { verb, phrase });
    case "cook":
    case "chop":
    case "slice":
    case "dice":
      if (game.recipe !== undefined) return parseTwo(game, world, { verb, phrase });
      return verb === "dice" || verb === "cook" ? { answer: notAVerb } : parseIdleCut(game, world, { verb, phrase });
    default:
      return { answer: notAVerb };
  }
}

const notAVerb = "That's not a verb I recognise.";
const nothingSuch = "You can't see any such thing.";

const help = `Available commands:
  look:                describe the current room
  goal:                print the goal of this game
  inventory:           print player's inventory
  go <dir>:            move the player north, east, south or west
  examine ...:         examine something more closely
  eat ...:             eat edible food
  open ...:            open a door or a container
  close ...:           close a door or a container
  drop ...:            drop an object on the floor
  take ...:            take an object that is on the floor
  put ... on ...:      place an object on a supporter
  take ... from ...:   take an object from a container or a supporter
  insert ... into ...: place an object into a container
  lock ... with ...:   lock a door or a container with a key
  unlock ... with ...: unlock a door or a container with a key`;

const synonyms = new Map([
  ["l", "look"],
  ["i", "inventory"],
  ["inv", "inventory"],
  ["x", "examine"],
  ["read", "examine"],
  ["get", "take"],
  ["walk", "go"],
  ["run", "go"],
  ["shut", "close"],
  ["discard", "drop"],
]);

function parseGo(phrase: string): Parsed {
  if (phrase === "") return { answer: "You'll have to say which compass direction to go in." };
  const direction = directions.find((way) => way === phrase || way.charAt(0) === phrase);
  if (direction !== undefined) return { command: { verb: "go", direction } };
  return otherWays.has(phrase) ? { answer: blocked, takesTime: true } : { answer: nothingSuch };
}

export const blocked = "You can't go that way.";
const otherWays = new Set(["up", "down", "in", "out", "u", "d", "northeast", "northwest", "southeast", "southwest"]);

function parseOne(game: Game, world: World, { verb, phrase }: { verb: OneThingVerb; phrase: string }): Parsed {
  if (phrase === "") return inferThing(game, world, verb);
  const thing = resolve(game, world, phrase);
  if ("answer" in thing) return thing;
  return { command: { verb, thing: thing.entity }, ...(thing.note === undefined ? {} : { note: thing.note }) };
}

/** Parses a cutting command outside the cooking games: nothing can be cut there, and the attempt takes a turn. */
function parseIdleCut(game: Game, world: World, { verb, phrase }: { verb: string; phrase: string }): Parsed {
  const parsed = parseOne(game, world, { verb: "examine", phrase });
  if ("answer" in parsed) return phrase === "" ? { answer: `What do you want to ${verb}?` } : parsed;
  const note = parsed.note === undefined ? "" : `${parsed.note}\n`;
  return { answer: `${note}Cutting it up would achieve little.`, takesTime: true };
}

/** Parses a verb without a thing: the only carried thing is meant. If several are carried, the game asks. */
function inferThing(game: Game, world: World, verb: OneThingVerb): Parsed {
  const [thing, ...others] = world.contents[inventoryOf(game)] ?? [];
  if (thing === undefined || others.length > 0) return { answer: `What do you want to ${verb}?` };
  return { command: { verb, thing }, note: `(the ${nameOf(game, thing)})` };
}

const prepositions = {
  take: [" from "],
  put: [" on ", " onto ", " in ", " into "],
  insert: [" into ", " in "],
  lock: [" with "],
  unlock: [" with "],
  cook: [" with ", " in ", " on ", " using "],
  chop: [" with ", " using "],
  slice: [" with ", " using "],
  dice: [" with ", " using "],
} as const;

function parseTwo(
  game: Game,
  world: World,
  { verb, phrase }: { verb: keyof typeof prepositions; phrase: string },
): Parsed {
  const preposition = prepositions[verb].find((word) => phrase.includes(word));
  if (preposition === undefined) {
    if (verb === "take") return parseOne(game, world, { verb, phrase });
    if (phrase === "") return { answer: `What do you want to ${verb}?` };
    const alone = resolve(game, world, phrase);
    if ("answer" in alone) return alone;
    return {
      answer: `What do you want to ${verb} the ${nameOf(game, alone.entity)}${prepositions[verb][0].trimEnd()}?`,
    };
  }
  const at = phrase.indexOf(preposition);
  const thing = resolve(game, world, phrase.slice(0, at));
  if ("answer" in thing) return thing;
  const other = resolve(game, world, phrase.slice(at + preposition.length));
  if ("answer" in other) return other;
  const isInto = preposition === " in " || preposition === " into ";
  const action = verb === "take" ? "take from" : verb === "put" && isInto ? "insert" : verb;
  const note = thing.note ?? other.note;
  return {
    command: { verb: action, thing: thing.entity, other: other.entity },
    ...(note === undefined ? {} : { note }),
  };
}

type Resolved = { readonly entity: number; readonly note?: string } | { readonly answer: string };

/** Finds the visible thing with this name, given in full or by some of its words. */
function resolve(game: Game, world: World, phrase: string): Resolved {
  const wanted = phrase.replace(/^(?:the|an|a|some) /, "");
  const words = wanted.split(" ").filter((word) => word !== "the" && word !== "of" && word !== "");
  if (words.length === 0) return { answer: nothingSuch };
  const named = entitiesInScope(game, world).filter((entity) => {
    const known = wordsOf(game, world, entity);
    return words.every((word) => known.includes(word));
  });
  const [only, ...others] = named;
  if (only === undefined) return { answer: nothingSuch };
  if (others.length === 0) return { entity: only };
  const exact = named.find((entity) => nameOf(game, entity).toLowerCase() === wanted);
  // If only one of several matches has exactly this name, the output states it, so that the choice is visible.
  if (exact !== undefined) return { entity: exact, note: `(the ${nameOf(game, exact)})` };
  const names = named.map((entity) => `the ${nameOf(game, entity)}`);
  return { answer: `Which do you mean, ${names.slice(0, -1).join(", ")} or ${names.at(-1) ?? ""}?` };
}

/** Returns the words that refer to an entity, including a food's treatments, such as "fried". */
function wordsOf(game: Game, world: World, entity: number): readonly string[] {
  const words = nameOf(game, entity).toLowerCase().split(" ");
  const food = world.foods[entity];
  return food === undefined ? words : [...words, food.cutting ?? "", food.cooking ?? ""];
}
