import type { TextWorldFamily, TextWorldSpec } from "#trainer/spec/environments/textworld.ts";
import type { Environment } from "../environment.ts";
import { directions } from "./game.ts";
import { coinNames } from "./generator/coin.ts";
import { recipeTexts, roomsFor } from "./generator/cooking.ts";
import { cookingTexts } from "./generator/cookingNames.ts";
import { maxThings } from "./generator/custom.ts";
import { houseSize, houseTexts } from "./generator/house.ts";
import { namesFor, type Names } from "./generator/names.ts";
import { objectiveTexts } from "./generator/objective.ts";
import { proseSizes, proseTexts } from "./generator/prose.ts";
import { numTreasureThings } from "./generator/treasure.ts";
import { countWords, wordsOfTexts } from "./words.ts";

/** Returns a small policy's vocabulary: every word that games of these families can print, expect or accept. */
export function listWords(spec: TextWorldSpec, families: readonly TextWorldFamily[]): readonly string[] {
  const names = families.flatMap((family) => namesOf(spec, family));
  const isCooking = families.includes("cooking");
  return wordsOfTexts([
    ...answers,
    ...(isCooking ? [...cookingAnswers, ...recipeTexts] : []),
    ...(spec.obsMode === "meow" ? ["You are now in the."] : []),
    ...proseTexts(spec.prose),
    ...(spec.prose === "rich" ? objectiveTexts : []),
    ...names,
    directions.join(" "),
    thoughts,
  ]).filter((word) => !marks.has(word));
}

/** Tags of the response format, left out here because every small policy's vocabulary has them already. */
const marks = new Set(["<think>", "</think>", "<action>", "</action>"]);
const thoughts = "need reach explore stuck look";

function namesOf(spec: TextWorldSpec, family: TextWorldFamily): readonly string[] {
  if (family === "simple") return houseTexts;
  if (family === "cooking") return cookingTexts;
  if (family === "coin") return [...poolOf(spec, family).rooms, "coin"];
  const { rooms, colors, nouns } = poolOf(spec, family);
  return [...rooms, ...colors, ...Object.values(nouns).flat()];
}

function poolOf(spec: TextWorldSpec, family: "custom" | "coin" | "treasure"): Names {
  const rooms = family === "coin" ? Math.max(spec.rooms, spec.questLength) : spec.rooms;
  const things = { custom: maxThings(spec), coin: 1, treasure: numTreasureThings(spec) }[family];
  // In treasure games the number of things already includes distractors.
  const distractors = family === "custom" ? spec.distractors : 0;
  return namesFor(family === "coin" ? coinNames(spec) : spec.names, { rooms, things, distractors });
}

type Sizes = Omit<Environment<never>["maxWords"], "notes">;

export function measure(spec: TextWorldSpec, families: readonly TextWorldFamily[]): Sizes {
  const sizes = families.map((family) => measureFamily(spec, family));
  const largest = (of: keyof Sizes): number => Math.max(...sizes.map((size) => size[of]));
  return {
    task: largest("task"),
    observation: largest("observation"),
    action: largest("action"),
    response: largest("response"),
    admissible: spec.showAdmissible ? largest("admissible") : 0,
  };
}

/** Upper bounds on a game family's worlds: `furniture` and `exits` are counts, all other sizes are in words. */
type World = {
  /** Number of words in the longest name of a thing; `roomWords` is that of a room. */
  readonly nameWords: number;
  readonly roomWords: number;
  /** Maximum pieces of furniture in one room; `furnitureWords` is the length of their longest name in words. */
  readonly furniture: number;
  readonly furnitureWords: number;
  /** Length in words of a list of all carried things; 0 if there is no limit (then derived from `furniture`). */
  readonly listWords: number;
  readonly exits: number;
  /** Number of words in an objective that names every step. */
  readonly stepWords: number;
};

/** Words that a name needs in a list (article and comma), and words of an objective's step besides names. */
const [aroundName, aroundStep] = [2, 5];

function worldOf(spec: TextWorldSpec, family: TextWorldFamily): World {
  const longest = (names: readonly string[]): number => Math.max(...names.map(countWords));
  const exitsAmong = (rooms: number): number => Math.min(4, rooms - 1);
  switch (family) {
    case "simple":
      return houseSize;
    case "cooking": {
      const portables = spec.ingredients + spec.distractors + 3;
      return {
        nameWords: 3,
        roomWords: 2,
        furniture: 5,
        furnitureWords: 2,
        // A food's name has two more words, for its treatments.
        listWords: portables * (3 + 2 + aroundName),
        exits: exitsAmong(roomsFor(spec.rooms).length),
        stepWords: 6 + 3 * spec.ingredients * (3 + 3),
      };
    }
    case "coin": {
      const numRooms = Math.max(spec.rooms, spec.questLength);
      const roomWords = longest(poolOf(spec, family).rooms);
      const rest = { furniture: 0, furnitureWords: 0, listWords: 1 + aroundName, exits: exitsAmong(numRooms) };
      return { nameWords: 1, roomWords, ...rest, stepWords: spec.questLength * (aroundStep + 2) };
    }
    case "custom":
    case "treasure": {
      const things = family === "custom" ? maxThings(spec) + spec.distractors : numTreasureThings(spec);
      return {
        nameWords: 2,
        roomWords: longest(poolOf(spec, family).rooms),
        // Any thing may be a piece of furniture, whose description is longer than that of a portable thing.
        furniture: things,
        furnitureWords: 2,
        listWords: 0,
        exits: exitsAmong(spec.rooms),
        stepWords: spec.questLength * (aroundStep + 4),
      };
    }
  }
}

function measureFamily(spec: TextWorldSpec, family: TextWorldFamily): Sizes {
  const world = worldOf(spec, family);
  const { nameWords, roomWords, furniture, exits, stepWords } = world;
  const prose = proseSizes(spec.prose, Array.from({ length: world.furnitureWords }, () => "x").join(" "));
  const isRich = spec.prose === "rich";
  const steps = family === "simple" ? 12 : spec.questLength;
  const listed = spec.objective === "detailed" ? stepWords + (isRich ? steps * (8 + roomWords) : 0) : 0;
  const task = spec.objective === "none" ? 0 : listed + 18 + nameWords + (isRich ? 20 : 0);
  // Without a limit (treasure, custom), the player may carry every object that can be in a room.
  const listWords = world.listWords === 0 ? furniture * (nameWords + aroundName) : world.listWords;
  const seen = furniture * prose.furniture + world.listWords;
  const room = 2 * roomWords + 3 + prose.intro + seen + exits * prose.exit + 6;
  const answer = 12 + 2 * nameWords;
  const hasNews = family === "cooking" || spec.reward === "balanced" || spec.reward === "dense";
  const printed = Math.max(room, answer + listWords, task, family === "cooking" ? stepWords : 0) + (hasNews ? 11 : 0);
  const inventory = 5 + listWords;
  const observation = {
    native: printed,
    meow: 7 + roomWords + room + inventory,
    described: Math.max(printed, answer + room) + 1 + inventory,
  }[spec.obsMode];
  const action = 3 + 2 * nameWords;
  const thought = 1 + Math.max(nameWords, roomWords);
  const numThings = furniture + Math.ceil(listWords / (nameWords + aroundName));
  const commands = 6 + 4 * exits + numThings * (6 + furniture) + (family === "cooking" ? 7 * numThings : 0);
  const response = spec.projection === "bare" ? action : 4 + thought + action;
  return { task, observation, action, response, admissible: commands * (action + 1) };
}

/** Words of all outputs that do not depend on a game's names. */
const answers: readonly string[] = [
  "You pick up the from the ground. You take the from the. You drop the on the ground. You put the on the into.",
  "You open the, revealing a an. You close the. You lock the. You unlock the. You eat the. Not bad.",
  "You are carrying: and nothing. There is on the floor. In the are.",
  "You can't go that way. You have to open the first. You have to unlock the with the first. The is welded shut.",
  "You can't see any such thing. That's not a verb I recognise. I beg your pardon?",
  "That's already open. That's already closed. That's fixed in place. You already have that. The is closed.",
  "It isn't something you can open. It isn't something you can close. You haven't got that. But the isn't there now.",
  "You need to take the first. The is fixed in place. Putting things on the would achieve nothing.",
  "That can't contain things. You're carrying too many things already. It doesn't seem to fit the lock.",
  "It doesn't seem to be something you can lock unlock. It's unlocked at the moment. That's locked at the moment.",
  "First you would have to close the. That's plainly inedible. There's nothing suitable to drink here.",
  "What do you want to examine drop eat take put on insert into lock with unlock take from? I didn't understand that sentence.",
  "Which do you mean, the, the or the? (the) You'll have to say which compass direction to go in.",
  "Cutting it up would achieve little. What do you want to chop slice?",
  "Your score has just gone up by one point. two three four five six seven eight nine ten points.",
  "*** The End *** You lost! *** You scored out of a possible, in turn(s). 0 1 2 3 4 5 6 7 8 9",
  "-= =- \n look inventory examine open close take drop put insert lock unlock eat go on into from with",
];

const cookingAnswers: readonly string[] = [
  "You fried roasted grilled burned the! Can only cook food. Cooking requires a source of heat.",
  "You chop slice dice the. Can only cut cuttable food. The is already chopped sliced diced. Cutting something requires a knife.",
  "You should cook the first. You cannot drink the. You drink the. raw",
  "Can only prepare meal in the. You still miss something. Something still needs to be cooked. Something still needs to be cut.",
  "Adding the meal to your inventory. What do you want to cook with dice with chop with slice with? read cookbook cut",
];
