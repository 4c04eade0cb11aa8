import { normalUpperTail } from "#packages/statistics";
import type { Rng } from "#trainer/spec/rng.ts";
import type { Parameter, Value } from "./space.ts";

/** Kernels along one parameter: truncated normals between `low` and `high`, or probabilities of each choice. */
type Axis =
  | {
      kind: "numeric";
      low: number;
      high: number;
      spacing: number;
      means: number[];
      deviations: number[];
      masses: number[];
    }
  | { kind: "choice"; shares: number[][] };

/** Mixture of product kernels: component k is the product of its kernels along every parameter. */
export type Parzen = { weights: number[]; axes: Axis[] };

/** Converts a parameter value to its modelled scale: the number, its logarithm, or the index of a choice. */
export function toScale(parameter: Parameter, value: Value): number {
  if (parameter.kind === "choice") return parameter.of.indexOf(value);
  return parameter.kind === "logUniform" ? Math.log(Number(value)) : Number(value);
}

/**
 * Makes a density from observations, shape (N, D), oldest first: a Parzen estimator with one component per
 * observation plus the prior. This is the multivariate form (Falkner et al. 2018) of tree-structured Parzen
 * estimators (Bergstra et al. 2011). The constants are those of Watanabe 2023 (arXiv:2304.11127). Bandwidths follow
 * from neighbours and are clipped from below; weights fall linearly for all but the 25 newest observations.
 */
export function makeParzen(parameters: readonly Parameter[], observations: readonly (readonly number[])[]): Parzen {
  const raw = [...weightsByAge(observations.length), 1];
  const total = raw.reduce((sum, weight) => sum + weight, 0);
  return {
    weights: raw.map((weight) => weight / total),
    axes: parameters.map((parameter, d) =>
      makeAxis(
        parameter,
        observations.map((row) => row[d] ?? NaN),
      ),
    ),
  };
}

const numNewest = 25;

function weightsByAge(n: number): number[] {
  const numOld = Math.max(0, n - numNewest);
  return Array.from({ length: n }, (_, i) => {
    if (i >= numOld || numOld === 0) return 1;
    return numOld === 1 ? 1 / n : 1 / n + (i * (1 - 1 / n)) / (numOld - 1);
  });
}

function makeAxis(parameter: Parameter, observed: readonly number[]): Axis {
  if (parameter.kind === "choice") return { kind: "choice", shares: choiceShares(parameter.of.length, observed) };
  const spacing = parameter.kind === "integer" ? 1 : parameter.kind === "uniform" ? (parameter.step ?? 0) : 0;
  const low = toScale(parameter, parameter.low) - spacing / 2;
  const high = toScale(parameter, parameter.high) + spacing / 2;
  const means = [...observed, (low + high) / 2];
  const deviations = [...bandwidths(observed, low, high), high - low];
  const masses = means.map((mean, k) =>
    normalMass((low - mean) / (deviations[k] ?? 1), (high - mean) / (deviations[k] ?? 1)),
  );
  return { kind: "numeric", low, high, spacing, means, deviations, masses };
}

function choiceShares(numChoices: number, observed: readonly number[]): number[][] {
  const prior = 1 / (observed.length + 1);
  const total = 1 + numChoices * prior;
  const rows = observed.map((index) =>
    Array.from({ length: numChoices }, (_, i) => (prior + (i === index ? 1 : 0)) / total),
  );
  return [...rows, Array.from({ length: numChoices }, () => 1 / numChoices)];
}

/**
 * Returns the larger distance of each observation to its neighbours; a single observation has the bounds as neighbours.
 */
function bandwidths(observed: readonly number[], low: number, high: number): number[] {
  const order = Array.from(observed.keys()).sort((a, b) => (observed[a] ?? 0) - (observed[b] ?? 0));
  const sorted = order.map((i) => observed[i] ?? NaN);
  const least = (high - low) / Math.min(100, observed.length + 2);
  const widths = observed.map(() => NaN);
  for (const [position, i] of order.entries()) {
    const value = sorted[position] ?? NaN;
    const [before, after] = [sorted[position - 1], sorted[position + 1]];
    const isAlone = sorted.length === 1;
    const below = before === undefined ? (isAlone ? value - low : 0) : value - before;
    const above = after === undefined ? (isAlone ? high - value : 0) : after - value;
    widths[i] = Math.min(high - low, Math.max(least, below, above));
  }
  return widths;
}

/** Probability P(a < Z < b) for a standard normal Z, computed in the tail that loses least precision. */
function normalMass(a: number, b: number): number {
  return a > 0 ? normalUpperTail(a) - normalUpperTail(b) : normalUpperTail(-b) - normalUpperTail(-a);
}

/** Samples one point, shape (D,), from the mixture, with values on the modelled scale of `toScale`. */
export function samplePoint({ weights, axes }: Parzen, rng: Rng): number[] {
  const k = pick(weights, rng);
  return axes.map((axis) => {
    if (axis.kind === "choice") return pick(axis.shares[k] ?? [], rng);
    const { low, high, spacing, means, deviations } = axis;
    for (;;) {
      // Means are within the bounds and no kernel is wider than the bounds, so at least a third of the samples is
      // accepted.
      const x = (means[k] ?? NaN) + (deviations[k] ?? NaN) * rng.normal();
      if (!(x < low || x > high)) return spacing === 0 ? x : snap(x, low, spacing);
    }
  });
}

function snap(x: number, low: number, spacing: number): number {
  const first = low + spacing / 2;
  return first + Math.round((x - first) / spacing) * spacing;
}

function pick(shares: readonly number[], rng: Rng): number {
  let left = rng.next();
  for (const [i, share] of shares.entries()) {
    left -= share;
    if (left < 0) return i;
  }
  return shares.length - 1;
}

/** Log-density at a point, shape (D,): a density for continuous parameters, a probability for discrete ones. */
export function logDensity({ weights, axes }: Parzen, x: readonly number[]): number {
  const terms = weights.map((weight, k) => {
    return axes.reduce((sum, axis, d) => sum + logKernel(axis, k, x[d] ?? NaN), Math.log(weight));
  });
  const most = Math.max(...terms);
  return most + Math.log(terms.reduce((sum, term) => sum + Math.exp(term - most), 0));
}

const halfLogTwoPi = Math.log(2 * Math.PI) / 2;

function logKernel(axis: Axis, k: number, x: number): number {
  if (axis.kind === "choice") return Math.log(axis.shares[k]?.[x] ?? 0);
  const [mean, deviation, mass] = [axis.means[k] ?? NaN, axis.deviations[k] ?? NaN, axis.masses[k] ?? NaN];
  const z = (x - mean) / deviation;
  if (axis.spacing === 0) return -(z * z) / 2 - halfLogTwoPi - Math.log(deviation * mass);
  const half = axis.spacing / 2 / deviation;
  return Math.log(normalMass(z - half, z + half) / mass);
}
