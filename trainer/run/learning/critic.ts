import { input } from "#trainer/graph/ops.ts";
import { aggregationWeights } from "#trainer/objective/aggregation.ts";
import type { AdamWState } from "#trainer/objective/optimizer.ts";
import { valueLoss } from "#trainer/objective/loss.ts";
import { makeSession } from "#trainer/onnx/session.ts";
import type { PolicyConfig } from "#trainer/policy/config.ts";
import { criticInputs, criticShapes, stateValues } from "#trainer/policy/critic.ts";
import { learningInputs, type Weights } from "#trainer/policy/parameters.ts";
import { selectionInputs } from "#trainer/policy/transformer.ts";
import type { Advantage } from "#trainer/spec/dimensions.ts";
import type { RunSpec } from "#trainer/spec/run.ts";
import { type BatchShape, layOutResponses, microBatches, packResponses, type TokenRow } from "./batch.ts";
import { cutRows, nameOf, padPart, type Engine } from "./learner.ts";

/** Training row of the critic, with a target return and an old value per response token. */
export type ValueRow = TokenRow & {
  returns: Float32Array;
  /** The critic's values at the start of the iteration. */
  oldValues: Float32Array;
};

type NamedArrays = Record<string, Float32Array>;

export type CriticStart = { parameters: Weights; optimizer?: AdamWState };

export type Critic = {
  /** Predicts the value of the state before each response token, in units of reward; one array per row. */
  values(rows: readonly TokenRow[]): Promise<Float32Array[]>;
  step(rows: readonly ValueRow[]): Promise<CriticStep>;
  /** Returns the critic's state for a checkpoint: parameters and optimizer moments, as arrays of this process. */
  state(): Promise<{ parameters: NamedArrays; optimizer: AdamWState }>;
};

export type CriticStep = { loss: number; clipFraction: number; gradientNorm: number; skipped: boolean };

export type CriticParts = { config: PolicyConfig; spec: RunSpec; engine: Engine };
type Gae = Extract<Advantage, { kind: "gae" }>;

/** Value function with the policy's architecture and its own optimizer; owns the arrays in `from`. */
export function makeCritic({ config, spec, engine }: CriticParts, gae: Gae, from: CriticStart): Critic {
  const { parameters } = from;
  const { options, store, memory, pool } = engine;
  const { rowLimit } = memory;
  const optimizer = store.makeOptimizer(spec.optimizer, criticShapes(config), from.optimizer);
  const learningRate = gae.criticLearningRate ?? publishedRateRatio * spec.optimizer.learningRate;
  const forwards = (shape: BatchShape) =>
    pool.at(`values ${nameOf(shape)}`, memory.forwardBytes(shape), () =>
      makeSession({ values: graph(config, shape).values }, options),
    );
  const gradients = (shape: BatchShape) =>
    pool.at(`value gradient ${nameOf(shape)}`, memory.gradientBytes(shape), () =>
      makeValueGradient({ config, clip: gae.valueClip, engine }, shape),
    );
  return {
    async values(rows) {
      const found: Float32Array[] = [];
      for (const part of microBatches(rows, rowLimit)) {
        const { feeds, unpack } = padPart(part);
        const { values } = await (await forwards(part.shape)).run({ ...parameters, ...feeds });
        for (const [i, x] of unpack(values).entries()) found[part.rows[i]?.index ?? 0] = x;
      }
      return found;
    },
    async step(rows) {
      const { shape, mask } = layOutResponses(rows);
      const pack = (values: (row: ValueRow) => Float32Array): Float32Array => packResponses(rows.map(values), shape);
      const inputs = {
        returns: pack((row) => row.returns),
        oldValues: pack((row) => row.oldValues),
        weights: aggregationWeights(mask, shape, { aggregation: "tokenMean", normaliserTokens: 1 }),
      };
      let total: Weights | undefined;
      let [loss, clipFraction] = [0, 0];
      for (const part of microBatches(rows, rowLimit)) {
        const cut = (values: Float32Array): Float32Array => cutRows(values, part, shape[1]);
        const session = await gradients(part.shape);
        const result = await session.run({
          ...parameters,
          ...padPart(part).feeds,
          returns: cut(inputs.returns),
          oldValues: cut(inputs.oldValues),
          weights: cut(inputs.weights),
        });
        total = await store.add(total, result.gradients);
        loss += result.loss;
        clipFraction += result.outputs.clipFraction[0] ?? NaN;
      }
      return { loss, clipFraction, ...(await optimizer.step(parameters, total ?? {}, learningRate)) };
    },
    state: async () => ({ parameters: await store.read(parameters), optimizer: await optimizer.state() }),
  };
}

/** Default ratio of the critic's learning rate to the policy's: 1e-5 to 1e-6, as in verl-agent's PPO scripts. */
const publishedRateRatio = 10;

function graph(config: PolicyConfig, { numRows, numTokens, numSelected }: BatchShape) {
  const inputs = criticInputs(config);
  const tokens = input("tokens", [numRows, numTokens], "i64");
  const selection = selectionInputs(numRows, numSelected);
  return { wrt: learningInputs(inputs, config), ...stateValues({ parameters: inputs, config }, tokens, selection) };
}

type ValueGraph = { config: PolicyConfig; clip: number; engine: Engine };

function makeValueGradient({ config, clip, engine }: ValueGraph, shape: BatchShape) {
  const { wrt, values, residuals } = graph(config, shape);
  const kept = engine.memory.recomputes(shape) ? residuals : [];
  const perToken = (name: string) => input(name, [shape.numRows, shape.numSelected]);
  const nodes = {
    values,
    oldValues: perToken("oldValues"),
    returns: perToken("returns"),
    weights: perToken("weights"),
  };
  const { loss, clipFraction } = valueLoss(clip, nodes);
  return engine.store.differentiate({ loss, wrt, kept, outputs: { clipFraction } }, engine.options);
}

/** Explained variance 1 − Var(R − V)/Var(R) over all tokens; not finite if all returns R are equal. */
export function explainedVariance(returns: readonly ArrayLike<number>[], values: readonly ArrayLike<number>[]): number {
  const flat = (rows: readonly ArrayLike<number>[]): number[] => rows.flatMap((row) => Array.from(row));
  const [target, predicted] = [flat(returns), flat(values)];
  return 1 - variance(target.map((x, i) => x - (predicted[i] ?? 0))) / variance(target);
}

function variance(values: readonly number[]): number {
  const mean = values.reduce((total, x) => total + x, 0) / values.length;
  return values.reduce((total, x) => total + (x - mean) ** 2, 0) / values.length;
}
