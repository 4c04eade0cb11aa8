import { z } from "zod";
import { dot, mean, median } from "#packages/statistics";
import { resolveMethod } from "#server/domain/plan/sweep/methodChoice.ts";
import type { SweepPlan } from "#server/domain/plan/sweep/schema.ts";
import { middleLevel, type PhaseAxis } from "./axis.ts";
import { type Axes, type PhaseCell, phaseFeatures } from "./features.ts";
import { type LogisticFit, predictLogOdds, toProbability } from "./firth.ts";

/** Suggested cell of a phase diagram, whose runs would make the line of 50 % collapse probability more precise. */
export type NextCell = {
  /** Values of the cell on the two axes of the diagram. */
  x: number | string;
  y: number | string;
  numSeeds: number;
  /** True if the cell already has runs; then more seeds are suggested. */
  isRun: boolean;
  /** Predicted collapse probability in the cell, from 0 to 1. */
  chance: number;
  /** Relative reduction of the variance of the predicted collapse probability, averaged over the diagram. */
  gain: number;
};

type Spot = { position: number; value: number | string };

const numShown = 3;

/**
 * Ranks cells by the reduction of variance of the predicted collapse probability, averaged over the diagram (V-optimal
 * design of a logistic model at its estimate). Candidates are the grid's cells and the midpoints between them.
 */
export function rankNextCells(axes: Axes, cells: readonly PhaseCell[], fit: LogisticFit): NextCell[] {
  const numSeeds = Math.max(1, Math.round(median(cells.map(({ runs }) => runs.length))));
  const [acrossSpots, upSpots] = [spotsOf(axes.x), spotsOf(axes.y)];
  const judged = acrossSpots.flatMap((x) =>
    upSpots.map((y) => slopeAt(fit, phaseFeatures(axes, x.position, y.position))),
  );
  const before = mean(judged.map((slope) => varianceAlong(fit.covariance, slope)));
  const candidates = acrossSpots.flatMap((x) =>
    upSpots.map((y): NextCell => {
      const features = phaseFeatures(axes, x.position, y.position);
      const chance = toProbability(predictLogOdds(fit, features).logOdds);
      const added = addRuns(fit.covariance, features, numSeeds * chance * (1 - chance));
      const after = mean(judged.map((slope) => varianceAlong(added, slope)));
      return {
        x: x.value,
        y: y.value,
        numSeeds,
        isRun: cells.some((cell) => cell.x === x.position && cell.y === y.position),
        chance,
        gain: 1 - after / before,
      };
    }),
  );
  return candidates.toSorted((a, b) => b.gain - a.gain).slice(0, numShown);
}

function spotsOf(axis: PhaseAxis): Spot[] {
  return axis.levels.flatMap((value, i): Spot[] => {
    const middle = middleLevel(axis, i);
    return [{ position: i, value }, ...(middle === undefined ? [] : [{ position: i + 0.5, value: middle }])];
  });
}

/** Returns the gradient of the predicted probability with respect to the coefficients: p(1 − p) x, for features x. */
function slopeAt(fit: LogisticFit, features: readonly number[]): number[] {
  const p = toProbability(predictLogOdds(fit, features).logOdds);
  return features.map((feature) => p * (1 - p) * feature);
}

function varianceAlong(covariance: readonly (readonly number[])[], slope: readonly number[]): number {
  return dot(
    slope,
    covariance.map((row) => dot(row, slope)),
  );
}

/**
 * Returns the covariance of the coefficients after `weight` x xᵀ is added to the Fisher information
 * (Sherman–Morrison), for `features` x.
 */
function addRuns(covariance: readonly (readonly number[])[], features: readonly number[], weight: number): number[][] {
  const along = covariance.map((row) => dot(row, features));
  const scale = weight / (1 + weight * dot(features, along));
  return covariance.map((row, i) => row.map((x, j) => x - scale * (along[i] ?? 0) * (along[j] ?? 0)));
}

/** Schema of a cell to launch in addition to a sweep. `settings`: values by dotted path. */
export const PlannedCell = z.strictObject({
  method: z.string().max(100).optional(),
  settings: z.record(z.string().max(300), z.union([z.number(), z.string().max(60)])),
  /** Number of new seeds; the first is the plan's largest seed plus 1. */
  newSeeds: z.int().min(1).max(1000).optional(),
});
export type PlannedCell = z.infer<typeof PlannedCell>;

/** Returns true if all these settings are axes of the sweep plan. */
export function canPlan(plan: SweepPlan, settings: PlannedCell["settings"]): boolean {
  return Object.keys(settings).every((path) => path in plan.axes);
}

/** Restricts a sweep plan to the cell's settings, and to its method if the plan has it. Other axes and seeds remain. */
export function planNext(plan: SweepPlan, { method, settings, newSeeds }: PlannedCell): SweepPlan {
  const one = plan.methods.find((choice) => resolveMethod(choice).label === method);
  const { grid, ...rest } = plan;
  const single = Object.fromEntries(Object.entries(settings).map(([path, value]) => [path, [value]]));
  const firstFree = Math.max(...plan.seeds) + 1;
  return {
    ...rest,
    ...(!one && grid && { grid }),
    ...(one && { methods: [one] }),
    name: `${plan.name}, next cell`.slice(0, 100),
    axes: { ...plan.axes, ...single },
    ...(newSeeds !== undefined && { seeds: Array.from({ length: newSeeds }, (_, i) => firstFree + i) }),
  };
}
