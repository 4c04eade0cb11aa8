import { z } from "zod";

type Bounds = readonly [min: number, max: number];

/** Returns the schema of an integer setting with inclusive bounds. */
export const count = ([min, max]: Bounds, title: string, description: string) =>
  z.int().min(min).max(max).meta({ title, description });

/** Returns the schema of a real-valued setting with inclusive bounds. */
export const real = ([min, max]: Bounds, title: string, description: string) =>
  z.number().min(min).max(max).meta({ title, description });

export const choice = <const Options extends readonly string[]>(options: Options, title: string, description: string) =>
  z.enum(options).meta({ title, description });

export const flag = (title: string, description: string) => z.boolean().meta({ title, description });

/** Returns the schema of the maximum number of turns per episode, a setting of every environment. */
export const maxTurns = (max: number) =>
  count([1, max], "Max turns", "Number of turns after which an episode is truncated.");

/** Schema of the setting that ends the prompt with a list of the admissible actions. */
export const showAdmissible = flag(
  "List admissible actions",
  "Adds a list of all admissible actions to the end of the prompt.",
).default(false);

/** Schema of the rule for parsing a response: ARLArena's (`strict`), or the older one of verl-agent (`lenient`). */
export const projection = choice(
  ["strict", "lenient"],
  "Response format",
  "strict: the response is exactly one thought followed by one admissible action; lenient: both pairs of tags occur anywhere in the response.",
).default("strict");
