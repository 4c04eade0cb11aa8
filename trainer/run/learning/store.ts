import type { Shape } from "#trainer/graph/tensor.ts";
import type { AdamWState, StepReport } from "#trainer/objective/optimizer.ts";
import type { Feeds, SessionOptions } from "#trainer/onnx/session.ts";
import type { GradientGraph } from "#trainer/policy/gradientSession.ts";
import type { Parameters, Weights } from "#trainer/policy/parameters.ts";
import type { OptimizerSpec } from "#trainer/spec/run.ts";

export type Shapes = Readonly<Record<string, Shape>>;

/** Storage of a policy's parameters between two passes, with the operations on them. */
export interface Store {
  /** Stores arrays and takes ownership of them. */
  hold(arrays: Parameters, shapes: Shapes): Promise<Weights>;
  /** Returns arrays of this process: live ones where stored as such, else copies. */
  read(weights: Weights): Promise<Record<string, Float32Array>>;
  copy(weights: Weights): Promise<Weights>;
  release(weights: Weights): void;
  /** total + part, for every name. An absent total counts as zeros. Takes ownership of both. */
  add(total: Weights | undefined, part: Weights): Promise<Weights>;
  /** √Σx² over all names. */
  norm(weights: Weights): Promise<number>;
  differentiate<Name extends string>(graph: GradientGraph<Name>, options: SessionOptions): Promise<Gradient<Name>>;
  makeOptimizer(spec: OptimizerSpec, shapes: Shapes, from?: AdamWState): Optimizer;
  close(): Promise<void>;
}

/** A compiled gradient, by parameter name. */
export type Gradient<Name extends string> = {
  run(feeds: Feeds): Promise<{ loss: number; outputs: Record<Name, Float32Array>; gradients: Weights }>;
  close(): Promise<void>;
};

/** AdamW with gradients clipped to a global norm, see `makeAdamW`. */
export interface Optimizer {
  /** Mutates `parameters` in place and takes ownership of the gradients. */
  step(parameters: Weights, gradients: Weights, learningRate: number): Promise<StepReport>;
  /** Moments and step count as arrays of this process, see `Store.read`. */
  state(): Promise<AdamWState>;
}

/** The execution provider, and its store; absent: a store of its own. */
export type Place = SessionOptions & { readonly store?: Store };
