import type { Curve } from "../series/series.ts";
import { lowestSoFar, rangeOf } from "../stability/rewardRange.ts";
import { noiseOf } from "../stability/robust.ts";
import { mean } from "./summary.ts";

/** Evaluations of the final window: the last 10 %, but at least 3. Said in every caption that uses it. */
export function finalWindowLength(numEvaluations: number): number {
  return Math.max(3, Math.ceil(0.1 * numEvaluations));
}

export type FinalWindow = { value: number; numEvaluations: number; numNonFinite: number };

/**
 * Mean of a run's last evaluations after training began (iteration 0 is the policy before it). Non-finite ones are
 * left out and counted; `value` is NaN if nothing is left.
 */
export function finalWindow(curve: Curve): FinalWindow {
  const { iterations, values } = curve;
  // By index, without an object a point: tables read thousands of curves while somebody waits.
  const length = finalWindowLength(countEvaluations(curve));
  const finite: number[] = [];
  let numSeen = 0;
  for (let i = values.length - 1; i >= 0 && numSeen < length; i--) {
    if ((iterations[i] ?? 0) <= 0) continue;
    numSeen += 1;
    const value = values[i] ?? NaN;
    if (Number.isFinite(value)) finite.push(value);
  }
  return { value: mean(finite.reverse()), numEvaluations: finite.length, numNonFinite: numSeen - finite.length };
}

/** Evaluations after training began. */
export function countEvaluations({ iterations, values }: Curve): number {
  let count = 0;
  for (let i = 0; i < values.length; i++) if ((iterations[i] ?? 0) > 0) count += 1;
  return count;
}

/** The best evaluation after training began. Selected on the data it is reported on, hence too good: say so. */
export function best({ iterations, values }: Curve, better: "up" | "down"): { value: number; iteration: number } {
  let top = { value: NaN, iteration: NaN };
  for (let i = 0; i < values.length; i++) {
    const iteration = iterations[i] ?? 0;
    const value = values[i] ?? NaN;
    if (iteration <= 0 || !Number.isFinite(value)) continue;
    const isBetter = better === "up" ? value > top.value : value < top.value;
    if (isBetter || Number.isNaN(top.value)) top = { value, iteration };
  }
  return top;
}

/** The last finite evaluation. */
export function last({ iterations, values }: Curve): { value: number; iteration: number } {
  for (let i = values.length - 1; i >= 0; i--) {
    const value = values[i] ?? NaN;
    if (Number.isFinite(value)) return { value, iteration: iterations[i] ?? 0 };
  }
  return { value: NaN, iteration: NaN };
}

/** The value at iteration 0: the policy before reinforcement learning. NaN if it was not evaluated. */
export function beforeTraining(curve: Curve): number {
  return curve.iterations[0] === 0 ? (curve.values[0] ?? NaN) : NaN;
}

/**
 * Trapezoid mean height over the observed range, non-finite points left out; NaN for fewer than two points. Runs are
 * compared up to a common `horizon`: one that ended before it keeps its last value, collapsed as it may be, and what
 * lies behind it is cut off.
 */
export function areaUnderCurve(curve: Curve, horizon?: number): number {
  const observed = pointsOf(curve).filter(({ value }) => Number.isFinite(value));
  const finite = horizon === undefined ? observed : endAt(observed, horizon);
  const [first] = finite;
  const final = finite.at(-1);
  if (!first || !final || final.iteration === first.iteration) return NaN;
  const area = finite.slice(1).reduce((sum, { iteration, value }, i) => {
    const before = finite[i] ?? first;
    return sum + ((value + before.value) / 2) * (iteration - before.iteration);
  }, 0);
  return area / (final.iteration - first.iteration);
}

/**
 * What is left of the best value at the end, by the mean of the final window: its share for rates and scores ≥ 0; of a
 * reward, whose zero says nothing, 1 minus the share lost of its range (`rangeOf`), which may be below 0.
 */
export function retention(curve: Curve, kind: "rate" | "reward" = "rate"): number {
  const { value: peak, iteration } = best(curve, "up");
  const final = finalWindow(curve).value;
  if (kind === "rate") return peak > 0 ? final / peak : NaN;
  const finite = pointsOf(curve).filter(({ value }) => Number.isFinite(value));
  const values = finite.map(({ value }) => value);
  const lowest = lowestSoFar(values)[finite.findIndex((point) => point.iteration === iteration)] ?? NaN;
  const range = rangeOf(peak - lowest, noiseOf(values));
  return range > 0 ? 1 - (peak - final) / range : NaN;
}

/** The greatest fall below the peak so far, in units of the metric. Not a share: that is the detectors' matter. */
export function maxDrawdown(curve: Curve): number {
  let peak = -Infinity;
  const falls = pointsOf(curve)
    .filter(({ value }) => Number.isFinite(value))
    .map(({ value }) => {
      peak = Math.max(peak, value);
      return peak - value;
    });
  return falls.length === 0 ? NaN : Math.max(...falls);
}

type Point = { iteration: number; value: number };

function endAt(points: readonly Point[], horizon: number): Point[] {
  const kept = points.filter(({ iteration }) => iteration <= horizon);
  const before = kept.at(-1);
  const after = points[kept.length];
  if (!before || before.iteration === horizon) return kept;
  const share = after ? (horizon - before.iteration) / (after.iteration - before.iteration) : 0;
  return [...kept, { iteration: horizon, value: before.value + share * ((after?.value ?? 0) - before.value) }];
}

function pointsOf({ iterations, values }: Curve): Point[] {
  return Array.from(values, (value, i) => ({ iteration: iterations[i] ?? 0, value }));
}
