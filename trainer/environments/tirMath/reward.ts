import type { TirMathSpec } from "#trainer/spec/environments/tirMath.ts";
import type { Ending } from "../environment.ts";
import { isRight } from "./answer.ts";
import type { TirMathState } from "./state.ts";

export const rewardRanges = {
  sparse: [0, 1],
  plusMinus: [-1, 1],
  retool: [-1, 1],
  dense: [0, 1],
} as const satisfies Record<TirMathSpec["reward"], readonly [number, number]>;

type Turn = { before: TirMathState; after: TirMathState; ending: Ending };

/** Reward of a turn. All kinds except `dense` pay only at the end, truncation included. */
export function rewardOf(kind: TirMathSpec["reward"], { before, after, ending }: Turn): number {
  const solved = isSolved(after);
  if (kind === "dense") return earned(after) - earned(before);
  if (ending === "ongoing") return 0;
  if (solved) return 1;
  switch (kind) {
    case "sparse":
      return 0;
    case "plusMinus":
      return -1;
    case "retool":
      return Math.min(-0.6, -1 + 0.05 * (numMessages(after) - 2));
  }
}

/** Fractions of the reward: a program that ran, one that printed the answer, the answer. */
function earned(state: TirMathState): number {
  return (state.hasRun ? 0.1 : 0) + (state.hasPrinted ? 0.1 : 0) + (isSolved(state) ? 0.8 : 0);
}

/** Number of messages as ReTool counts them: the problem, the turns and the tool's feedback. */
function numMessages({ turns, runs }: TirMathState): number {
  return 1 + turns + runs;
}

/** True where the final answer is right. */
export function isSolved({ isOver, answer, task }: TirMathState): boolean {
  return isOver && answer !== undefined && isRight(answer, task.answer);
}
