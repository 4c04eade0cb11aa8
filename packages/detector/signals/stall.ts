import type { DetectorConfig } from "../config.ts";

type Input = {
  zeroVariance: number | undefined;
  gradientNorm: number | undefined;
  /** Null if only a reward is logged; `isAtBest`: it has climbed and is at its peak. */
  success: number | null;
  isAtBest: boolean;
};

/**
 * Consecutive steps without a learning signal: equal rewards in nearly every group, or a vanished gradient. With nearly
 * every task solved, or a reward at its best without known success, learning is complete (saturated), otherwise it has
 * stopped (stalled).
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
