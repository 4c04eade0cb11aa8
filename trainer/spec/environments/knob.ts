import { z } from "zod";

/** Schema of an integer difficulty setting. The sweep builder and the validation share its bounds. */
export const knob = ([min, max]: readonly [number, number], title: string, description: string) =>
  z.int().min(min).max(max).meta({ title, description });

/** Schema of the maximum number of turns, a setting of every environment. */
export const maxTurns = (max: number) => knob([1, max], "Max turns", "An episode is truncated after this many turns.");

/** True if the compact prompt lists the admissible actions. */
export const showAdmissible = z
  .boolean()
  .meta({ title: "List admissible actions", description: "Ends the prompt with a list of all admissible actions." })
  .default(false);

/** Rule by which a response is parsed: ARLArena's projection, or the older one of verl-agent. */
export const projection = z
  .enum(["strict", "lenient"])
  .meta({
    title: "Response format",
    description:
      "strict: the response is exactly one thought followed by one admissible action; lenient: both pairs of tags occur anywhere in the response.",
  })
  .default("strict");
