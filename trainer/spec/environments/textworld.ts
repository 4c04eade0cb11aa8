import { z } from "zod";
import { knob, maxTurns, showAdmissible } from "./knob.ts";

/** Families of TextWorld games; each family is also a task type. */
export const textWorldFamilies = ["custom", "coin", "treasure", "simple", "cooking"] as const;
export type TextWorldFamily = (typeof textWorldFamilies)[number];

const flag = (title: string, description: string) => z.boolean().meta({ title, description }).default(false);

/**
 * Schema of the settings of TextWorld, text games with rooms, doors, keys, containers and quests
 * (microsoft/TextWorld; w–o–q in arXiv:2510.01132).
 */
export const TextWorldSpec = z.strictObject({
  id: z.literal("textworld"),
  family: z
    .enum([...textWorldFamilies, "mixed"])
    .meta({
      title: "Family",
      description:
        "custom: a quest with actions of any kind; coin: find the coin along a chain of rooms; treasure: find the right object, not the wrong one; simple: bring a food to the stove of one fixed house; cooking: follow a recipe; mixed: all of them.",
    })
    .default("custom"),
  rooms: knob(
    [1, 20],
    "Rooms",
    "Number of rooms (w). Cooking games use the largest of 1, 6, 9 and 12 up to this number; the house of simple games always has six.",
  ).default(2),
  objects: knob(
    [1, 40],
    "Objects",
    "Number of objects and pieces of furniture in a custom game (o): those of the quest, and others up to this number.",
  ).default(3),
  questLength: knob(
    [1, 20],
    "Quest length",
    "Number of actions in the quest (q) of custom and treasure games; number of rooms on the way to the coin in coin games.",
  ).default(4),
  distractors: knob(
    [0, 20],
    "Distractors",
    "Number of distractors that no quest needs: objects in a custom game, furniture in treasure games, foods in cooking.",
  ).default(0),
  doors: z
    .enum(["none", "closed", "locked"])
    .meta({
      title: "Doors",
      description: "none: rooms are open to each other; closed: some have a door; locked: some doors need a key.",
    })
    .default("locked"),
  ingredients: knob(
    [1, 5],
    "Ingredients",
    "Number of ingredients in the recipe of a cooking game; all have to be found.",
  ).default(1),
  cook: flag("Cooking", "Requires ingredients of a cooking game to be fried, roasted or grilled."),
  cut: flag("Cutting", "Requires ingredients of a cooking game to be chopped, sliced or diced."),
  carryLimit: flag(
    "Full hands",
    "Limits the number of carried objects in a cooking game to the number of ingredients in the recipe.",
  ),
  names: z
    .enum(["small", "large"])
    .meta({ title: "Names", description: "small: only as many names as the other settings need; large: all names." })
    .default("small"),
  prose: z
    .enum(["compact", "rich"])
    .meta({
      title: "Prose",
      description:
        "compact: a single short wording for everything; rich: the varied wordings of the original's grammar.",
    })
    .default("compact"),
  objective: z
    .enum(["detailed", "brief", "none"])
    .meta({
      title: "Objective",
      description: "detailed: every step of the quest; brief: what has to be achieved; none: no goal is given.",
    })
    .default("detailed"),
  obsMode: z
    .enum(["native", "meow", "described"])
    .meta({
      title: "Observation",
      description:
        "native: the answer to the command; meow: the room's name, its description if just printed, and the inventory; described: the answer, the room's description and the inventory.",
    })
    .default("native"),
  maxTurns: maxTurns(200).default(12),
  reward: z
    .enum(["sparse", "balanced", "dense", "intermediate"])
    .meta({
      title: "Reward",
      description:
        "sparse: 1 when won; balanced: points for some steps of the quest, 1 in total; dense: points for all steps, 1 in total; intermediate: +1 for a turn that shortens the way to win, −1 for a turn that lengthens it or loses.",
    })
    .default("sparse"),
  showAdmissible,
  projection: z
    .enum(["strict", "lenient", "bare"])
    .meta({
      title: "Response format",
      description:
        "strict: the response is exactly one thought followed by one admissible action; lenient: both pairs of tags occur anywhere in the response; bare: the whole response is the command.",
    })
    .default("strict"),
});
export type TextWorldSpec = z.infer<typeof TextWorldSpec>;
