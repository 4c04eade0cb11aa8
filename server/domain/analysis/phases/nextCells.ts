import { z } from "zod";
import { dot, mean, median } from "#packages/statistics";
import { expandPlan } from "#server/domain/plan/sweep/expand/expand.ts";
import { resolveMethod } from "#server/domain/plan/sweep/methods/methodChoice.ts";
import { listPoints } from "#server/domain/plan/sweep/expand/points.ts";
import type { AxisValue, SweepPlan } from "#server/domain/plan/sweep/schema.ts";
import { nameOfEnvironment, titleOfEnvironment } from "#trainer/spec/environmentTexts.ts";
import { noValue } from "../hyperparameters/column.ts";
import { type Axes, middleLevel, type PhaseAxis, type PhaseCell, phaseFeatures } from "./axis.ts";
import { type LogisticFit, predictLogOdds, toProbability, varianceAlong } from "./firth.ts";

/** Suggested cell, whose runs would make the line of 50 % collapse probability more precise. */
export type NextCell = {
  x: number | string;
  y: number | string;
  /** Number of runs to launch, over everything that varies within the cell: the median over the diagram's cells. */
  numRuns: number;
  /** True if the cell already has runs; then more seeds are suggested. */
  isRun: boolean;
  /** Predicted collapse probability. */
  chance: number;
  /** Relative reduction of the predictions' variance, averaged over the diagram. */
  gain: number;
};

type Spot = { position: number; value: number | string };

const numShown = 3;

/**
 * Ranks the grid's cells and the midpoints between them by the reduction of the predictions' variance, averaged over
 * the diagram (V-optimal design of a logistic model at its estimate).
 */
export function rankNextCells(axes: Axes, cells: readonly PhaseCell[], fit: LogisticFit): NextCell[] {
  const numRuns = Math.max(1, Math.round(median(cells.map(({ runs }) => runs.length))));
  const [acrossSpots, upSpots] = [spotsOf(axes.x), spotsOf(axes.y)];
  const judged = acrossSpots.flatMap((x) =>
    upSpots.map((y) => slopeAt(fit, phaseFeatures(axes, x.position, y.position))),
  );
  const before = mean(judged.map((slope) => varianceAlong(fit.covariance, slope)));
  const candidates = acrossSpots.flatMap((x) =>
    upSpots.map((y): NextCell => {
      const features = phaseFeatures(axes, x.position, y.position);
      const chance = toProbability(predictLogOdds(fit, features).logOdds);
      const added = addRuns(fit.covariance, features, numRuns * chance * (1 - chance));
      const after = mean(judged.map((slope) => varianceAlong(added, slope)));
      return {
        x: x.value,
        y: y.value,
        numRuns,
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

/** Returns the gradient of the predicted probability by the coefficients: p(1 − p) x. */
function slopeAt(fit: LogisticFit, features: readonly number[]): number[] {
  const p = toProbability(predictLogOdds(fit, features).logOdds);
  return features.map((feature) => p * (1 - p) * feature);
}

/** Returns the covariance after `weight` x xᵀ is added to the Fisher information (Sherman–Morrison). */
function addRuns(covariance: readonly (readonly number[])[], features: readonly number[], weight: number): number[][] {
  const along = covariance.map((row) => dot(row, features));
  const scale = weight / (1 + weight * dot(features, along));
  return covariance.map((row, i) => row.map((x, j) => x - scale * (along[i] ?? 0) * (along[j] ?? 0)));
}

/** Cell to launch in addition to a sweep. `settings`: values by dotted path. */
export const PlannedCell = z.strictObject({
  /** Label of method and title of environment; absent if the cell pools several. */
  method: z.string().max(100).optional(),
  environment: z.string().max(100).optional(),
  settings: z.record(z.string().max(300), z.union([z.number(), z.string().max(60)])),
  numRuns: z.int().min(1).max(10_000),
  /** True if the cell already has runs; new seeds then begin after the plan's largest seed. */
  isRun: z.boolean(),
});
export type PlannedCell = z.infer<typeof PlannedCell>;

/**
 * True if a plan can be restricted to these settings. A number becomes a new axis if the plan has none for it, as when
 * two sweeps differ in a setting that neither varies. A text must be a value of an axis, and so must a setting of the
 * environment, because labels of environments name their own values.
 */
export function canPlan(plan: SweepPlan, settings: PlannedCell["settings"]): boolean {
  return Object.entries(settings).every(
    ([path, value]) => path in plan.axes || (typeof value === "number" && !path.startsWith("environment.")),
  );
}

/** Restricts a plan to a cell. Runs are spread evenly over what else the plan varies, with at least one seed each. */
export function planNext(plan: SweepPlan, { method, environment, settings, numRuns, isRun }: PlannedCell): SweepPlan {
  const single = Object.fromEntries(
    Object.entries(settings).map(([path, value]) => [path, [findValue(plan.axes[path], value)]]),
  );
  const environments = plan.environments.filter((one) => titleOfEnvironment(nameOfEnvironment(one)) === environment);
  const next = {
    ...restrictMethods(plan, method),
    name: `${plan.name}, next cell`.slice(0, 100),
    ...(environments.length > 0 && { environments }),
    axes: { ...plan.axes, ...single },
  };
  const numSeeds = Math.max(1, Math.round(numRuns / countRunsPerSeed(next)));
  const firstFree = Math.max(...plan.seeds) + 1;
  const free = Array.from({ length: numSeeds }, (_, i) => firstFree + i);
  return { ...next, seeds: (isRun ? free : [...plan.seeds, ...free]).slice(0, numSeeds) };
}

/** Returns the axis's own value equal to `value`, else `value`, which then lies between the axis's values. */
function findValue(values: SweepPlan["axes"][string] = [], value: number | string): AxisValue {
  const found = values.find((one) => (one === null ? noValue : String(one)) === String(value));
  return found === undefined ? value : found;
}

/** Restricts a plan to the method with this label; unchanged if the plan has no such method. */
function restrictMethods(plan: SweepPlan, label: string | undefined): SweepPlan {
  const point = listPoints(plan).points.find((one) => one.label === label);
  if (!point) return plan;
  const { grid: _, ...rest } = plan;
  const listed = plan.methods.find((choice) => resolveMethod(choice).label === label);
  return { ...rest, methods: [listed ?? { name: point.label.slice(0, 60), ...point.method }] };
}

function countRunsPerSeed(plan: SweepPlan): number {
  try {
    const { runs, maxNumRuns = runs.length } = expandPlan(plan);
    return Math.max(1, maxNumRuns / plan.seeds.length);
  } catch {
    // The builder shows the problems of a plan that cannot be expanded.
    return 1;
  }
}
