import type { OptimizerSpec } from "#trainer/spec/run.ts";

/** Named arrays: the parameters of a policy, their gradients, or their moments. */
type NamedArrays = Readonly<Record<string, Float32Array>>;

/** What a checkpoint keeps of an optimizer. */
export type AdamWState = {
  /** First and second moment of every parameter. */
  m: NamedArrays;
  v: NamedArrays;
  /** Steps taken; skipped ones do not count. */
  t: number;
};

type StepReport = {
  /** Global L2 norm of the gradients before clipping. */
  gradientNorm: number;
  /** The norm was not finite and nothing was changed. */
  skipped: boolean;
};

export type AdamW = {
  /** Changes `parameters` in place. */
  step(parameters: NamedArrays, gradients: NamedArrays, learningRate: number): StepReport;
  /** The live state, not a copy. */
  state(): AdamWState;
};

type Shapes = Readonly<Record<string, readonly number[]>>;

/**
 * AdamW (arXiv:1711.05101 Alg. 2) with gradients clipped to a global norm; `maxGradientNorm` 0 switches clipping off.
 * Weight decay acts on matrices only: gains and biases are not pulled to 0.
 * @param shapes of every parameter by name
 * @param from the state of a checkpoint; a fresh optimizer starts at zero
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
        const isMatrix = (shapes[name] ?? []).length >= 2;
        const arrays = {
          x: lookUp(parameters, name),
          g: lookUp(gradients, name),
          m: lookUp(state.m, name),
          v: lookUp(state.v, name),
        };
        const weightDecay = isMatrix ? spec.weightDecay : 0;
        update(arrays, { ...spec, weightDecay, learningRate, scale, t: state.t });
      }
      return { gradientNorm, skipped: false };
    },
    state: () => state,
  };
}

type Arrays = { x: Float32Array; g: Float32Array; m: Float32Array; v: Float32Array };
type Update = Pick<OptimizerSpec, "beta1" | "beta2" | "epsilon" | "weightDecay" | "learningRate"> & {
  scale: number;
  t: number;
};

/** x ← x·(1 − η·λ) − η·m̂/(√v̂ + ε), elementwise; moments of the clipped gradient, bias-corrected for step t. */
function update({ x, g, m, v }: Arrays, options: Update): void {
  const { beta1, beta2, epsilon, weightDecay, learningRate, scale, t } = options;
  const keep = 1 - learningRate * weightDecay;
  const firstShare = (1 - beta1) * scale;
  const secondShare = (1 - beta2) * scale * scale;
  // Both sides of the fraction times √(1 − β₂ᵗ): one division an element instead of two.
  const rootCorrection = Math.sqrt(1 - beta2 ** t);
  const stepSize = (learningRate / (1 - beta1 ** t)) * rootCorrection;
  const smallest = epsilon * rootCorrection;
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

/** √Σg² over all arrays, in double precision. */
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

function clipScale(norm: number, maxNorm: number): number {
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
