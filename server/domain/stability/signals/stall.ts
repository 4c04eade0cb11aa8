import type { DetectorConfig } from "../config.ts";

type Input = {
  zeroVariance: number | undefined;
  gradientNorm: number | undefined;
  /** Null where only a reward is logged; `isAtBest` says whether it has climbed and stands at its peak. */
  success: number | null;
  isAtBest: boolean;
};

/**
 * Steps in a row without anything to learn from: all rewards of nearly every group are equal, or the gradient vanished.
 * With nearly every task solved, or a reward at its best where no success is known, that is the end of the lesson (saturated), otherwise of the learning (stalled).
 */
export function nextStall(
  stepsSoFar: number,
  { zeroVariance = 0, gradientNorm = NaN, success, isAtBest }: Input,
  { stall }: DetectorConfig,
): { steps: number; tag: "stalled" | "saturated" | undefined } {
  const isIdle = zeroVariance >= stall.zeroVariance || gradientNorm < stall.gradientNorm;
  const steps = isIdle ? stepsSoFar + 1 : 0;
  const isSolved = success === null ? isAtBest : success >= stall.solved;
  return { steps, tag: steps < stall.steps ? undefined : isSolved ? "saturated" : "stalled" };
}
