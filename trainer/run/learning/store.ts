import type { Shape } from "#trainer/graph/tensor.ts";
import type { AdamWState, StepReport } from "#trainer/objective/optimizer.ts";
import type { Feeds, SessionOptions } from "#trainer/onnx/session.ts";
import type { GradientGraph } from "#trainer/policy/gradientSession.ts";
import type { Parameters, Weights } from "#trainer/policy/parameters.ts";
import type { OptimizerSpec } from "#trainer/spec/run.ts";

export type Shapes = Readonly<Record<string, Shape>>;

/** Where the numbers of a policy live between two passes, and what is done to them there. */
export interface Store {
  /** Takes arrays over. */
  hold(arrays: Parameters, shapes: Shapes): Promise<Weights>;
  /** As arrays of this process: live ones where they are that already, else copies. */
  read(weights: Weights): Promise<Record<string, Float32Array>>;
  copy(weights: Weights): Promise<Weights>;
  release(weights: Weights): void;
  /** total + part, of every name; without a total, of zeros. Both are given away. */
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
  /** Changes `parameters` in place; the gradients are given away. */
  step(parameters: Weights, gradients: Weights, learningRate: number): Promise<StepReport>;
  /** As arrays of this process, see `Store.read`. */
  state(): Promise<AdamWState>;
}

/** Where graphs run, and the store there: one of its own unless a run has one. */
export type Place = SessionOptions & { readonly store?: Store };
