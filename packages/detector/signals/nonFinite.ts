import type { DetectorConfig } from "../config.ts";
import { keep } from "./robust.ts";

export type NonFiniteState = {
  inARow: number;
  /** Flags of the last 20 steps, oldest first; true for a step with a non-finite number. */
  recent: readonly boolean[];
  /** True if the run ever logged a finite gradient norm. */
  hasGradient: boolean;
  /** Steps with a finite loss and a gradient norm that was never finite. */
  brokenSteps: number;
};

export const allFinite: NonFiniteState = { inARow: 0, recent: [], hasGradient: false, brokenSteps: 0 };

export type NonFiniteReading = { severity: 0 | 1 | 2; isCollapsed: boolean; isMetricBroken: boolean };

type Input = { gradientNorm: number | undefined; loss: number | undefined };

/**
 * Checks a step for non-finite numbers. A single such step gives only a warning, because trainers skip the update and
 * continue; many in a row end the run. If the loss is finite and the gradient norm never was, the logging is at
 * fault.
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
