import type { Point } from "./space.ts";

/** What is known of a trial that is over. */
export type Outcome =
  /** Losses, smaller is better, one an objective; `violation` above 0: how far a constraint is missed. */
  | { kind: "measured"; losses: readonly number[]; violation?: number }
  /** Ended before its time because it had collapsed: worse than whatever was measured, by how much nobody knows. */
  | { kind: "collapsed"; iteration: number }
  /** Nothing was learned of the point: the machine failed, or a person ended it. */
  | { kind: "lost" };

/** A point that was drawn; without an outcome it still runs. */
export type Trial = { number: number; point: Point; outcome?: Outcome };

export function lossesOf({ outcome }: Trial): readonly number[] {
  return outcome?.kind === "measured" ? outcome.losses : [];
}
