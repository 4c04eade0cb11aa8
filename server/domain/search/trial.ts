import { z } from "zod";
import type { Point } from "./space.ts";

/** What is known of a trial that is over. */
export const Outcome = z.discriminatedUnion("kind", [
  /** Losses, smaller is better, one an objective; `violation` above 0: how far a constraint is missed. */
  z.object({
    kind: z.literal("measured"),
    losses: z.array(z.number()).readonly(),
    violation: z.number().optional(),
    /** Standard deviation of the first objective over the last fifth, the mean over runs; absent without two points there. */
    spread: z.number().optional(),
  }),
  /** Ended before its time because it did not earn the next rung; its losses there. */
  z.object({ kind: z.literal("stopped"), iteration: z.number(), losses: z.array(z.number()).readonly() }),
  /** Ended before its time because it had collapsed: worse than whatever was measured, by an unknown amount. */
  z.object({ kind: z.literal("collapsed"), iteration: z.number() }),
  /** Nothing was learned of the point: the machine failed, or a person ended it. */
  z.object({ kind: z.literal("lost") }),
]);
export type Outcome = z.infer<typeof Outcome>;

/** A point that was drawn; without an outcome it still runs. */
export type Trial = { number: number; point: Point; outcome?: Outcome };

export function lossesOf({ outcome }: Trial): readonly number[] {
  return outcome?.kind === "measured" ? outcome.losses : [];
}
