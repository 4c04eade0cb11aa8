import type { Interval } from "#packages/statistics";
import { axisFeatures, type PhaseAxis } from "./axis.ts";

export type Axes = { x: PhaseAxis; y: PhaseAxis };

/**
 * Returns the features of a diagram position in the logistic model, shape (P,): a constant 1, then the features of
 * both axes. An interaction feature is left out, because with a few seeds per cell it would fit noise.
 */
export function phaseFeatures({ x, y }: Axes, atX: number, atY: number): number[] {
  return [1, ...axisFeatures(x, atX), ...axisFeatures(y, atY)];
}

/** Cell of a phase diagram: runs with the same pair of levels. */
export type PhaseCell = {
  /** Indices of the cell's levels on the x- and y-axis. */
  x: number;
  y: number;
  /** Indices of the cell's runs, shape (numRuns,). */
  runs: readonly number[];
  numCollapsed: number;
  /** 95 % Wilson interval of the fraction of collapsed runs. */
  interval: Interval;
};
