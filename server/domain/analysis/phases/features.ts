import type { Interval } from "#packages/statistics";
import { axisFeatures, type PhaseAxis } from "./axis.ts";

/** The two axes of a diagram. */
export type Axes = { x: PhaseAxis; y: PhaseAxis };

/**
 * Features, (P,): a constant 1, then those of both axes. There is no interaction: with a few seeds per cell it would
 * fit noise.
 */
export function phaseFeatures({ x, y }: Axes, atX: number, atY: number): number[] {
  return [1, ...axisFeatures(x, atX), ...axisFeatures(y, atY)];
}

/** Runs that share one pair of levels, in one diagram. */
export type PhaseCell = {
  /** Indices of the cell's levels on both axes. */
  x: number;
  y: number;
  /** Indices of runs, (numRuns,). */
  runs: readonly number[];
  numCollapsed: number;
  /** Wilson interval, 95 %, of the fraction of collapsed runs. */
  interval: Interval;
};
