import { z } from "zod";

/** Returns the schema of an integer difficulty setting with inclusive bounds. */
export const knob = ([min, max]: readonly [number, number], title: string, description: string) =>
  z.int().min(min).max(max).meta({ title, description });

/** Returns the schema of the maximum number of turns per episode, a setting of every environment. */
export const maxTurns = (max: number) =>
  knob([1, max], "Max turns", "Number of turns after which an episode is truncated.");

/** Schema of the setting that ends the prompt with a list of the admissible actions. */
export const showAdmissible = z
  .boolean()
  .meta({
    title: "List admissible actions",
    description: "Adds a list of all admissible actions to the end of the prompt.",
  })
  .default(false);

/**
 * Schema of the rule by which a response is parsed to an action: ARLArena's (`strict`), or the older one of
 * verl-agent (`lenient`).
 */
export const projection = z
  .enum(["strict", "lenient"])
  .meta({
    title: "Response format",
    description:
      "strict: the response is exactly one thought followed by one admissible action; lenient: both pairs of tags occur anywhere in the response.",
  })
  .default("strict");
