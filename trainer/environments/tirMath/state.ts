import type { MathTask } from "./generator.ts";

/** State of an attempt at a problem. */
export type TirMathState = {
  readonly task: MathTask;
  readonly observation: string;
  readonly turns: number;
  /** Number of turns in which a program ran. */
  readonly runs: number;
  /** The last program; `output` is its output if it ran to its end. */
  readonly code: string | undefined;
  readonly output: string | undefined;
  /** True if some program ran to its end; `hasPrinted` is true if some program printed the answer. */
  readonly hasRun: boolean;
  readonly hasPrinted: boolean;
  /** Text in the last `\boxed{…}`; undefined if there is none. */
  readonly answer: string | undefined;
  /** True if the episode ended by an answer, or by a turn with neither program nor answer. */
  readonly isOver: boolean;
};
