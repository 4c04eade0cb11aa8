import type { MathTask } from "./generator.ts";

/** One moment of an attempt at a problem. */
export type TirMathState = {
  readonly task: MathTask;
  readonly observation: string;
  readonly turns: number;
  /** Turns in which a program was run. */
  readonly runs: number;
  /** The last program, and what it printed where it ran to its end. */
  readonly code: string | undefined;
  readonly output: string | undefined;
  /** Whether any program ran to its end, and whether any printed the answer. */
  readonly hasRun: boolean;
  readonly hasPrinted: boolean;
  /** The text in the last `\boxed{…}`. */
  readonly answer: string | undefined;
  /** Ended by an answer, or by a turn with neither program nor answer. */
  readonly isOver: boolean;
};
