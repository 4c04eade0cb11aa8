import { mean } from "./summary.ts";

/** Curve of one metric of one run. Both arrays are (N,): iterations ascend, values may be NaN or infinite. */
export type Series = {
  runId: string;
  key: string;
  iterations: Int32Array;
  values: Float64Array;
  /** True for a run without reinforcement learning: its evaluation at iteration 0 is its result. */
  isUntrained?: true;
};

export type Curve = Pick<Series, "iterations" | "values" | "isUntrained">;

/** First iteration whose evaluation belongs to the result. */
const firstResult = ({ isUntrained }: Curve): number => (isUntrained ? 0 : 1);

export type NonFiniteMark = { iteration: number; kind: "NaN" | "Infinity" | "-Infinity" };

export function describeNonFinite(x: number): NonFiniteMark["kind"] {
  if (Number.isNaN(x)) return "NaN";
  return x > 0 ? "Infinity" : "-Infinity";
}

/** Length of the final window: the last 10 % of the evaluations, at least 3, as captions state. */
export function finalWindowLength(numEvaluations: number): number {
  return Math.max(3, Math.ceil(0.1 * numEvaluations));
}

export type FinalWindow = { value: number; numEvaluations: number; numNonFinite: number };

/**
 * Mean of the last evaluations after iteration 0, which counts only without training. Non-finite values are excluded
 * and counted; NaN if none is left.
 */
export function finalWindow(curve: Curve): FinalWindow {
  const { iterations, values } = curve;
  // The loop uses indices, not an object per point, because tables read thousands of curves during a request.
  const length = finalWindowLength(countEvaluations(curve));
  const first = firstResult(curve);
  const finite: number[] = [];
  let numSeen = 0;
  for (let i = values.length - 1; i >= 0 && numSeen < length; i--) {
    if ((iterations[i] ?? 0) < first) continue;
    numSeen += 1;
    const value = values[i] ?? NaN;
    if (Number.isFinite(value)) finite.push(value);
  }
  return { value: mean(finite.reverse()), numEvaluations: finite.length, numNonFinite: numSeen - finite.length };
}

export function countEvaluations(curve: Curve): number {
  const { iterations, values } = curve;
  const first = firstResult(curve);
  let count = 0;
  for (let i = 0; i < values.length; i++) if ((iterations[i] ?? 0) >= first) count += 1;
  return count;
}

/** Best evaluation after iteration 0: selected on the data that it reports, so biased, as captions must state. */
export function best(curve: Curve, better: "up" | "down"): { value: number; iteration: number } {
  const { iterations, values } = curve;
  const first = firstResult(curve);
  let top = { value: NaN, iteration: NaN };
  for (let i = 0; i < values.length; i++) {
    const iteration = iterations[i] ?? 0;
    const value = values[i] ?? NaN;
    if (iteration < first || !Number.isFinite(value)) continue;
    const isBetter = better === "up" ? value > top.value : value < top.value;
    if (isBetter || Number.isNaN(top.value)) top = { value, iteration };
  }
  return top;
}

export function last({ iterations, values }: Curve): { value: number; iteration: number } {
  for (let i = values.length - 1; i >= 0; i--) {
    const value = values[i] ?? NaN;
    if (Number.isFinite(value)) return { value, iteration: iterations[i] ?? 0 };
  }
  return { value: NaN, iteration: NaN };
}

/** Returns the value at iteration 0, before reinforcement learning; NaN if the policy was not evaluated then. */
export function beforeTraining(curve: Curve): number {
  return curve.iterations[0] === 0 ? (curve.values[0] ?? NaN) : NaN;
}
