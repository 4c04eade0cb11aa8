import { globalNorm, makeAdamW } from "#trainer/objective/optimizer.ts";
import { makeGradientSession } from "#trainer/policy/gradientSession.ts";
import type { FrozenParameters, Weights } from "#trainer/policy/parameters.ts";
import type { Store } from "./store.ts";

type Arrays = Record<string, Float32Array>;

/** Makes a store of parameters in host memory, which graphs on the CPU read without copying. */
export function hostStore(): Store {
  return {
    hold: (arrays) => Promise.resolve(arrays),
    read: (weights) => Promise.resolve(arraysOf(weights)),
    copy: (weights) => Promise.resolve(copyOf(arraysOf(weights))),
    release() {},
    add: (total, part) => Promise.resolve(accumulate(total, arraysOf(part))),
    norm: (weights) => Promise.resolve(globalNorm(Object.values(arraysOf(weights)))),
    differentiate: makeGradientSession,
    makeOptimizer(spec, shapes, from) {
      const adamW = makeAdamW(spec, shapes, from);
      return {
        step: (parameters, gradients, learningRate) =>
          Promise.resolve(adamW.step(arraysOf(parameters), arraysOf(gradients), learningRate)),
        state: () => Promise.resolve(adamW.state()),
      };
    },
    close: () => Promise.resolve(),
  };
}

/** Returns weights as arrays in host memory. Throws if one of them is on a device or has 16-bit values. */
export function arraysOf(weights: Weights | FrozenParameters): Arrays {
  const arrays: Arrays = {};
  for (const [name, values] of Object.entries(weights)) {
    if (!(values instanceof Float32Array))
      throw new TypeError(`${name} is no array of single precision in this process`);
    arrays[name] = values;
  }
  return arrays;
}

export function copyOf(arrays: Readonly<Arrays>): Arrays {
  return Object.fromEntries(Object.entries(arrays).map(([name, values]) => [name, values.slice()]));
}

function accumulate(before: Weights | undefined, part: Arrays): Arrays {
  const total = before ? arraysOf(before) : zerosLike(part);
  for (const [name, sums] of Object.entries(total)) {
    const values = part[name];
    if (!values) throw new Error(`learner: no gradient for ${name}`);
    for (let i = 0; i < sums.length; i++) sums[i] = (sums[i] ?? 0) + (values[i] ?? 0);
  }
  return total;
}

function zerosLike(arrays: Arrays): Arrays {
  return Object.fromEntries(Object.entries(arrays).map(([name, values]) => [name, new Float32Array(values.length)]));
}
