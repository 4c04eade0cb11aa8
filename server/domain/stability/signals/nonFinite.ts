import type { DetectorConfig } from "../config.ts";
import { keep } from "./robust.ts";

/** Plain JSON. */
export type NonFiniteState = {
  inARow: number;
  /** Of the last 20 steps, whether each was not finite; oldest first. */
  recent: readonly boolean[];
  /** Whether a gradient norm was ever a number. */
  hasGradient: boolean;
  /** Steps with a finite loss beside a gradient norm that was never a number. */
  brokenSteps: number;
};

export const allFinite: NonFiniteState = { inARow: 0, recent: [], hasGradient: false, brokenSteps: 0 };

export type NonFiniteReading = { severity: 0 | 1 | 2; isCollapsed: boolean; isMetricBroken: boolean };

type Input = { gradientNorm: number | undefined; loss: number | undefined };

/**
 * One step without finite numbers is a remark (trainers skip the update and go on), many in a row are the end of the run.
 * A gradient norm that was never a number while the loss is one is a fault of the logging, not of the run.
 */
export function nextNonFinite(
  state: NonFiniteState,
  { gradientNorm, loss }: Input,
  { nonFinite }: DetectorConfig,
): { state: NonFiniteState; reading: NonFiniteReading } {
  const hasGradient = state.hasGradient || Number.isFinite(gradientNorm);
  const isBroken = !hasGradient && gradientNorm !== undefined && Number.isFinite(loss);
  const brokenSteps = isBroken ? state.brokenSteps + 1 : hasGradient ? 0 : state.brokenSteps;
  const gradient = isBroken ? undefined : gradientNorm;
  const isSilent = gradient === undefined && loss === undefined;
  const isNow = isNonFinite(gradient) || isNonFinite(loss);
  const inARow = isSilent ? state.inARow : isNow ? state.inARow + 1 : 0;
  const recent = isSilent ? state.recent : keep(state.recent, isNow, 20);
  let ofRecent = 0;
  for (const one of recent) if (one) ofRecent += 1;
  const isUnstable = inARow >= nonFinite.unstable || ofRecent >= nonFinite.unstableOf20;
  return {
    state: { inARow, recent, hasGradient, brokenSteps },
    reading: {
      severity: isUnstable ? 2 : isNow ? 1 : 0,
      isCollapsed: inARow >= nonFinite.collapsed,
      isMetricBroken: brokenSteps >= nonFinite.collapsed,
    },
  };
}

function isNonFinite(x: number | undefined): boolean {
  return x !== undefined && !Number.isFinite(x);
}
