import { z } from "zod";
import { choice, count, flag, maxTurns, showAdmissible } from "../setting.ts";

/** Families of TextWorld games; each family is also a task type. */
export const textWorldFamilies = ["custom", "coin", "treasure", "simple", "cooking"] as const;
export type TextWorldFamily = (typeof textWorldFamilies)[number];

/** Schema of the settings of TextWorld, text games with quests (microsoft/TextWorld; w–o–q in arXiv:2510.01132). */
export const TextWorldSpec = z.strictObject({
  id: z.literal("textworld"),
  family: choice(
    [...textWorldFamilies, "mixed"],
    "Family",
    "custom: a quest with actions of any kind; coin: find the coin along a chain of rooms; treasure: find the right object, not the wrong one; simple: bring a food to the stove of one fixed house; cooking: follow a recipe; mixed: all of them.",
  ).default("custom"),
  rooms: count(
    [1, 20],
    "Rooms",
    "Number of rooms (w). Cooking games have 1, 6, 9 or 12 rooms: the largest of these numbers that is not above this value. Simple games always have six rooms.",
  ).default(2),
  objects: count(
    [1, 40],
    "Objects",
    "Number of objects in a custom game, including furniture (TextWorld's option o). A quest that needs more objects gets them.",
  ).default(3),
  questLength: count(
    [1, 20],
    "Quest length",
    "Length of the quest (q): number of actions in custom and treasure games, and number of rooms on the way to the coin in coin games.",
  ).default(4),
  distractors: count(
    [0, 20],
    "Distractors",
    "Number of distractors, which no quest needs: objects in custom games, furniture in treasure games, foods in cooking games.",
  ).default(0),
  doors: choice(
    ["none", "closed", "locked"],
    "Doors",
    "none: there are no doors between rooms; closed: some rooms have closed doors; locked: some doors need a key.",
  ).default("locked"),
  ingredients: count(
    [1, 5],
    "Ingredients",
    "Number of ingredients in the recipe of a cooking game. All ingredients have to be found.",
  ).default(1),
  cook: flag("Cooking", "Requires ingredients of a cooking game to be fried, roasted or grilled.").default(false),
  cut: flag("Cutting", "Requires ingredients of a cooking game to be chopped, sliced or diced.").default(false),
  carryLimit: flag(
    "Full hands",
    "Limits the number of carried objects in a cooking game to the number of ingredients in the recipe.",
  ).default(false),
  names: choice(
    ["small", "large"],
    "Names",
    "small: objects and rooms have only as many different names as the other settings need; large: all names occur.",
  ).default("small"),
  prose: choice(
    ["compact", "rich"],
    "Prose",
    "compact: a single short wording for everything; rich: the varied wordings of the original's grammar.",
  ).default("compact"),
  objective: choice(
    ["detailed", "brief", "none"],
    "Objective",
    "detailed: every step of the quest; brief: what has to be achieved; none: no goal is given.",
  ).default("detailed"),
  obsMode: choice(
    ["native", "meow", "described"],
    "Observation",
    "native: the game's answer to the command; meow: the room's name, its description if the game has just printed one, and the inventory; described: the game's answer, the room's description and the inventory.",
  ).default("native"),
  maxTurns: maxTurns(200).default(12),
  reward: choice(
    ["sparse", "balanced", "dense", "intermediate"],
    "Reward",
    "sparse: 1 when the game is won; balanced: points for some steps of the quest, 1 in total; dense: points for all steps of the quest, 1 in total; intermediate: +1 for a turn that shortens the way to the goal, −1 for a turn that lengthens the way or loses the game.",
  ).default("sparse"),
  showAdmissible,
  projection: choice(
    ["strict", "lenient", "bare"],
    "Response format",
    "strict: the response is exactly one thought followed by one admissible action; lenient: both pairs of tags occur anywhere in the response; bare: the whole response is the command.",
  ).default("strict"),
});
export type TextWorldSpec = z.infer<typeof TextWorldSpec>;
