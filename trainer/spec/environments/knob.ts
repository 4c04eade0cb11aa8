import { z } from "zod";

/** A whole number of an environment's difficulty, with the bounds that builder and validation share. */
export const knob = ([min, max]: readonly [number, number], title: string, description: string) =>
  z.int().min(min).max(max).meta({ title, description });

/** Turns at most, a knob of every environment. */
export const maxTurns = (max: number) =>
  knob([1, max], "Turns at most", "An episode is truncated after this many turns.");

/** Whether the compact prompt lists what can be done. */
export const showAdmissible = z
  .boolean()
  .meta({ title: "List admissible actions", description: "The prompt ends with every action that can be taken." })
  .default(false);

/** How a response is read (ARLArena's projection, or that of verl-agent before it). */
export const projection = z
  .enum(["strict", "lenient"])
  .meta({
    title: "Response format",
    description:
      "strict: one thought, then one action, nothing else, and the action is admissible; lenient: both pairs of tags occur somewhere.",
  })
  .default("strict");
