import type { MathTask } from "./generator.ts";

/** State of an attempt at a problem. */
export type TirMathState = {
  readonly task: MathTask;
  readonly observation: string;
  readonly turns: number;
  /** Turns in which a program was run. */
  readonly runs: number;
  /** The last program, and its output where it ran to its end. */
  readonly code: string | undefined;
  readonly output: string | undefined;
  /** `hasRun`: some program ran to its end. `hasPrinted`: some program printed the answer. */
  readonly hasRun: boolean;
  readonly hasPrinted: boolean;
  /** The text in the last `\boxed{…}`. */
  readonly answer: string | undefined;
  /** Ended by an answer, or by a turn with neither program nor answer. */
  readonly isOver: boolean;
};
