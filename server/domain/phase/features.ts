import type { Interval } from "#server/domain/statistics/rates.ts";
import { axisFeatures, type PhaseAxis } from "./axis.ts";

/** The two sides of a diagram. */
export type Axes = { x: PhaseAxis; y: PhaseAxis };

/** (P,) 1, then both axes: no interaction, which a few seeds a cell could not tell from noise. */
export function phaseFeatures({ x, y }: Axes, atX: number, atY: number): number[] {
  return [1, ...axisFeatures(x, atX), ...axisFeatures(y, atY)];
}

/** Runs of one pair of levels, of one diagram. */
export type PhaseCell = {
  /** Indices of levels. */
  x: number;
  y: number;
  /** (numRuns,) indices of runs. */
  runs: readonly number[];
  numCollapsed: number;
  /** Wilson, 95 %. */
  interval: Interval;
};
