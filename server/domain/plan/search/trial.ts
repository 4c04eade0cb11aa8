import { z } from "zod";
import type { Point } from "./space.ts";

export const Outcome = z.discriminatedUnion("kind", [
  /** Losses by objective (smaller is better), and total violation of the constraints. */
  z.object({
    kind: z.literal("measured"),
    losses: z.array(z.number()).readonly(),
    violation: z.number().optional(),
    /**
     * Standard deviation of the first objective over the last fifth of training, averaged over runs; absent if that
     * fifth has fewer than two points.
     */
    spread: z.number().optional(),
  }),
  /** Trial that was stopped at a rung without promotion, with its losses at that rung. */
  z.object({ kind: z.literal("stopped"), iteration: z.number(), losses: z.array(z.number()).readonly() }),
  /** Trial that collapsed early: it is worse than any measured trial, by an unknown amount. */
  z.object({ kind: z.literal("collapsed"), iteration: z.number() }),
  /** Trial without a result: its machine failed, or a user ended it. */
  z.object({ kind: z.literal("lost") }),
]);
export type Outcome = z.infer<typeof Outcome>;

/** A sampled point with its outcome; without an outcome, the trial is still running. */
export type Trial = { number: number; point: Point; outcome?: Outcome };
