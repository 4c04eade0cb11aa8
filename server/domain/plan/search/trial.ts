import { z } from "zod";
import type { Point } from "./space.ts";

export const Outcome = z.discriminatedUnion("kind", [
  /** Losses per objective, smaller is better. `violation`: amount by which a constraint is violated; 0 if none is. */
  z.object({
    kind: z.literal("measured"),
    losses: z.array(z.number()).readonly(),
    violation: z.number().optional(),
    /**
     * Standard deviation of the first objective over the last fifth of training, mean over runs; absent with fewer than
     * two points there.
     */
    spread: z.number().optional(),
  }),
  /** Stopped at a rung because it was not promoted, with its losses there. */
  z.object({ kind: z.literal("stopped"), iteration: z.number(), losses: z.array(z.number()).readonly() }),
  /** Ended early by a collapse: worse than any measured trial, by an unknown amount. */
  z.object({ kind: z.literal("collapsed"), iteration: z.number() }),
  /** No result: the machine failed, or a user ended it. */
  z.object({ kind: z.literal("lost") }),
]);
export type Outcome = z.infer<typeof Outcome>;

/** A sampled point with its outcome; without one, the trial is still running. */
export type Trial = { number: number; point: Point; outcome?: Outcome };

export function lossesOf({ outcome }: Trial): readonly number[] {
  return outcome?.kind === "measured" ? outcome.losses : [];
}
