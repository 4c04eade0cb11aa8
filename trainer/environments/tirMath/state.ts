import type { MathTask } from "./generator.ts";

export type TirMathState = {
  readonly task: MathTask;
  readonly observation: string;
  readonly turns: number;
  /** Number of turns in which a program was executed. */
  readonly runs: number;
  /** Last program of the policy; `output` is its output if it ran to its end. */
  readonly code: string | undefined;
  readonly output: string | undefined;
  /** True if some program so far ran to its end; `hasPrinted` is true if one of these printed the right answer. */
  readonly hasRun: boolean;
  readonly hasPrinted: boolean;
  /** Content of the last `\boxed{…}` in responses and feedback; undefined if there is none. */
  readonly answer: string | undefined;
  /** True if the episode ended by an answer, or by a turn with neither program nor answer. */
  readonly isOver: boolean;
};
