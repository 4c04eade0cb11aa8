import { add, div, input, mul, sqrt, square, sub, sum } from "#trainer/graph/ops.ts";
import type { Shape, Tensor } from "#trainer/graph/tensor.ts";
import type { OptimizerSpec } from "#trainer/spec/run.ts";

/** Arrays by parameter name: the parameters of a policy, their gradients, or AdamW's moments. */
type NamedArrays = Readonly<Record<string, Float32Array>>;

export type AdamWState = {
  /** AdamW's first moment `m` and second moment `v` of every parameter. */
  m: NamedArrays;
  v: NamedArrays;
  /** Number of optimizer steps so far, without skipped ones. */
  t: number;
};

export type StepReport = {
  /** Global L2 norm of the gradients before clipping. */
  gradientNorm: number;
  /** True if the gradient norm was not finite, so that no parameter was changed. */
  skipped: boolean;
};

export type AdamW = {
  /** Performs one optimizer step and mutates `parameters` in place. */
  step(parameters: NamedArrays, gradients: NamedArrays, learningRate: number): StepReport;
  /** Returns the optimizer's current state, not a copy. */
  state(): AdamWState;
};

type Shapes = Readonly<Record<string, readonly number[]>>;

/**
 * AdamW (arXiv:1711.05101 Alg. 2) with gradients clipped to a global norm; `maxGradientNorm` 0 switches clipping off.
 * Weight decay applies only to matrices, not to gains and biases.
 * @param shapes shape of every parameter by name
 * @param from the state in a checkpoint; if absent, moments and step count start at zero
 */
export function makeAdamW(spec: OptimizerSpec, shapes: Shapes, from?: AdamWState): AdamW {
  const names = Object.keys(shapes);
  const zeros = (): Record<string, Float32Array> =>
    Object.fromEntries(names.map((name) => [name, new Float32Array(sizeOf(shapes[name] ?? []))]));
  const state = from
    ? { m: copied(from.m, names), v: copied(from.v, names), t: from.t }
    : { m: zeros(), v: zeros(), t: 0 };
  return {
    step(parameters, gradients, learningRate) {
      const gradientNorm = globalNorm(names.map((name) => lookUp(gradients, name)));
      if (!Number.isFinite(gradientNorm)) return { gradientNorm, skipped: true };
      state.t++;
      const scale = clipScale(gradientNorm, spec.maxGradientNorm);
      for (const name of names) {
        const arrays = {
          x: lookUp(parameters, name),
          g: lookUp(gradients, name),
          m: lookUp(state.m, name),
          v: lookUp(state.v, name),
        };
        update(arrays, stepConstants(spec, { shape: shapes[name] ?? [], learningRate, scale, t: state.t }));
      }
      return { gradientNorm, skipped: false };
    },
    state: () => state,
  };
}

type Arrays = { x: Float32Array; g: Float32Array; m: Float32Array; v: Float32Array };
type Step = { shape: readonly number[]; learningRate: number; scale: number; t: number };

/** Constants of step t (from 1) for a parameter's shape; `scale` is the factor of gradient clipping. */
export function stepConstants(spec: OptimizerSpec, { shape, learningRate, scale, t }: Step): StepConstants {
  const { beta1, beta2, epsilon } = spec;
  const weightDecay = shape.length >= 2 ? spec.weightDecay : 0;
  // The update's numerator and denominator are multiplied by √(1 − β₂ᵗ): one division per element, not two.
  const rootCorrection = Math.sqrt(1 - beta2 ** t);
  return {
    keep: 1 - learningRate * weightDecay,
    beta1,
    firstShare: (1 - beta1) * scale,
    beta2,
    secondShare: (1 - beta2) * scale * scale,
    stepSize: (learningRate / (1 - beta1 ** t)) * rootCorrection,
    smallest: epsilon * rootCorrection,
  };
}

/** Updates in place: x ← x·(1 − η·λ) − η·m̂/(√v̂ + ε) with bias-corrected moments m̂, v̂ of the clipped gradient. */
function update({ x, g, m, v }: Arrays, constants: StepConstants): void {
  const { keep, beta1, firstShare, beta2, secondShare, stepSize, smallest } = constants;
  const size = x.length;
  for (let i = 0; i < size; i++) {
    const gradient = g[i] ?? 0;
    const first = beta1 * (m[i] ?? 0) + firstShare * gradient;
    const second = beta2 * (v[i] ?? 0) + secondShare * gradient * gradient;
    m[i] = first;
    v[i] = second;
    x[i] = (x[i] ?? 0) * keep - (stepSize * first) / (Math.sqrt(second) + smallest);
  }
}

/** Global norm √Σg² over all arrays, computed in double precision. */
export function globalNorm(arrays: readonly Float32Array[]): number {
  let squares = 0;
  for (const array of arrays) {
    const size = array.length;
    for (let i = 0; i < size; i++) {
      const x = array[i] ?? 0;
      squares += x * x;
    }
  }
  return Math.sqrt(squares);
}

/** Factor by which gradient clipping scales gradients of global norm `norm`; `maxNorm` 0 switches clipping off. */
export function clipScale(norm: number, maxNorm: number): number {
  return maxNorm === 0 ? 1 : Math.min(1, maxNorm / (norm + 1e-6));
}

function lookUp(arrays: NamedArrays, name: string): Float32Array {
  const array = arrays[name];
  if (!array) throw new Error(`optimizer: no array named ${name}`);
  return array;
}

function copied(arrays: NamedArrays, names: readonly string[]): Record<string, Float32Array> {
  return Object.fromEntries(names.map((name) => [name, lookUp(arrays, name).slice()]));
}

function sizeOf(shape: readonly number[]): number {
  return shape.reduce((product, size) => product * size, 1);
}

/** Names of the scalar inputs of `updateGraph`, the constants of one AdamW step. */
export const stepInputs = ["keep", "beta1", "firstShare", "beta2", "secondShare", "stepSize", "smallest"] as const;
type StepConstants = Readonly<Record<(typeof stepInputs)[number], number>>;

/** One AdamW step, equal to `makeAdamW`: inputs `x` (parameter), `g` (gradient), `m`, `v` → new `x`, `m`, `v`. */
export function updateGraph(shape: Shape): Readonly<Record<"x" | "m" | "v", Tensor>> {
  const g = input("g", shape);
  const number = (name: (typeof stepInputs)[number]): Tensor => input(name, [1]);
  const first = add(mul(input("m", shape), number("beta1")), mul(g, number("firstShare")));
  const second = add(mul(input("v", shape), number("beta2")), mul(square(g), number("secondShare")));
  const step = div(mul(first, number("stepSize")), add(sqrt(second), number("smallest")));
  return { x: sub(mul(input("x", shape), number("keep")), step), m: first, v: second };
}

/** Graph that accumulates a squared norm: inputs `total` (shape 1) and `x` of any shape → total + Σx². */
export function squaresGraph(shape: Shape): Readonly<Record<"squares", Tensor>> {
  const x = input("x", shape);
  return { squares: add(input("total", [1]), sum(square(x))) };
}

/** Graph that accumulates gradients elementwise: inputs `total` and `x` of one shape → total + x. */
export function sumGraph(shape: Shape): Readonly<Record<"sum", Tensor>> {
  return { sum: add(input("total", shape), input("x", shape)) };
}

type WarmupCosine = {
  /** Highest learning rate, reached at the end of the warm-up. */
  peak: number;
  numSteps: number;
  /** Fraction of the steps during which the learning rate rises linearly. */
  warmupFraction: number;
};

/** Learning rate of step 0 … numSteps − 1: from peak/numWarmup linearly to peak, then a half cosine to 0. */
export function warmupCosine({ peak, numSteps, warmupFraction }: WarmupCosine, step: number): number {
  const numWarmup = Math.max(1, Math.round(numSteps * warmupFraction));
  if (step < numWarmup) return (peak * (step + 1)) / numWarmup;
  const progress = Math.min(1, (step - numWarmup + 1) / Math.max(1, numSteps - numWarmup + 1));
  return (peak * (1 + Math.cos(Math.PI * progress))) / 2;
}
