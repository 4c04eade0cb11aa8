import type { Shape } from "#trainer/graph/tensor.ts";
import type { AdamWState, StepReport } from "#trainer/objective/optimizer.ts";
import type { Feeds, SessionOptions } from "#trainer/onnx/session.ts";
import type { GradientGraph } from "#trainer/policy/gradientSession.ts";
import type { Parameters, Weights } from "#trainer/policy/parameters.ts";
import type { OptimizerSpec } from "#trainer/spec/run.ts";

export type Shapes = Readonly<Record<string, Shape>>;

/** Storage of a policy's parameters between two passes, in host memory or on a device, with the arithmetic on them. */
export interface Store {
  /** Stores the arrays and takes ownership of them. */
  hold(arrays: Parameters, shapes: Shapes): Promise<Weights>;
  /** Returns the weights as arrays in host memory: the stored arrays themselves if they are there, else copies. */
  read(weights: Weights): Promise<Record<string, Float32Array>>;
  copy(weights: Weights): Promise<Weights>;
  release(weights: Weights): void;
  /** Adds `part` to `total`, or to zeros if undefined. Takes ownership of both arguments. */
  add(total: Weights | undefined, part: Weights): Promise<Weights>;
  /** Global norm √Σx² over all parameters. */
  norm(weights: Weights): Promise<number>;
  differentiate<Name extends string>(graph: GradientGraph<Name>, options: SessionOptions): Promise<Gradient<Name>>;
  makeOptimizer(spec: OptimizerSpec, shapes: Shapes, from?: AdamWState): Optimizer;
  close(): Promise<void>;
}

/** Compiled gradient graph. It returns the loss, further outputs by name, and the gradients by parameter name. */
export type Gradient<Name extends string> = {
  run(feeds: Feeds): Promise<{ loss: number; outputs: Record<Name, Float32Array>; gradients: Weights }>;
  close(): Promise<void>;
};

/** AdamW optimizer, which clips gradients to a maximum global norm. */
export interface Optimizer {
  /** Mutates `parameters` in place and takes ownership of the gradients. */
  step(parameters: Weights, gradients: Weights, learningRate: number): Promise<StepReport>;
  /** Returns moments and step count as arrays in host memory, without a copy if they are already there. */
  state(): Promise<AdamWState>;
}

/** Session options with execution provider, and the store of parameters; if the store is absent, a new one is made. */
export type Place = SessionOptions & { readonly store?: Store };
