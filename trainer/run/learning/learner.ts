import { input, isGreater, max, mul, neg, sub, sum, takeAlongLast } from "#trainer/graph/ops.ts";
import type { Tensor } from "#trainer/graph/tensor.ts";
import { buildLoss, lossNodes } from "#trainer/objective/loss.ts";
import { makeSession, type Feeds, type Session, type SessionOptions } from "#trainer/onnx/session.ts";
import type { PolicyConfig } from "#trainer/policy/config.ts";
import { learningInputs, parameterInputs, type Weights } from "#trainer/policy/parameters.ts";
import { selectionInputs, tokenLogProbs, tokenMass, toLogits, transformer } from "#trainer/policy/transformer.ts";
import type { RunSpec } from "#trainer/spec/run.ts";
import {
  type BatchShape,
  countPositions,
  layOutResponses,
  type MicroBatch,
  microBatches,
  padRows,
  type TokenRow,
  unpackResponses,
} from "./batch.ts";
import { planMemory, type MemoryPlan } from "./memory.ts";
import { makeStore } from "./makeStore.ts";
import type { Gradient, Place, Store } from "./store.ts";

export type { Weights } from "#trainer/policy/parameters.ts";

/** Log-probability and entropy in nats of every response token of one row. */
export type Scores = { logProbs: Float32Array; entropies: Float32Array };

const lossParts = ["total", "policy", "kl", "entropy"] as const;
export type LossParts = Record<(typeof lossParts)[number], number>;

/** Names of the loss graph's inputs besides the tokens. Every input is (B, R): rows × response tokens. */
export const lossInputs = [
  "advantages",
  "oldLogProbs",
  "referenceLogProbs",
  "policyWeights",
  "penaltyWeights",
  "signal",
] as const;
export type LossInputs = Readonly<Record<(typeof lossInputs)[number], Float32Array>>;

export type PolicyGradient = {
  gradients: Weights;
  loss: LossParts;
  /** (B, R) log-probabilities of the response tokens before the optimizer step. */
  logProbs: Float32Array;
  /** Number of positions in the pass that hold a token (`held`), and of padding positions (`padded`). */
  positions: { held: number; padded: number };
  /** Sum of the control tokens' probability over the response tokens that are none; 0 tokens if not measured. */
  control: { mass: number; numTokens: number };
};

/**
 * Forward and backward passes of the policy as compiled graphs, one session per purpose and shape, made at first use.
 * Batches are split into micro-batches. Their gradients are summed, because the loss weights already include the
 * denominators of the whole minibatch.
 */
export type Learner = {
  score(parameters: Weights, rows: readonly TokenRow[]): Promise<Scores[]>;
  /** Computes the gradient norm ‖∇ Σ log π‖ of each row over all parameters; costs one backward pass per row. */
  gradientNorms(parameters: Weights, rows: readonly TokenRow[]): Promise<number[]>;
  /** Gradient of the policy loss. Weights in `inputs` must include the denominators of the whole minibatch. */
  policyGradient(parameters: Weights, rows: readonly TokenRow[], inputs: LossInputs): Promise<PolicyGradient>;
  /** Gradient of the responses' mean negative log-likelihood per token (behaviour cloning). */
  cloneGradient(
    parameters: Weights,
    rows: readonly TokenRow[],
  ): Promise<{ gradients: Weights; loss: number; tokenAccuracy: number }>;
  close(): Promise<void>;
};

/** Resources for training: execution provider, store of parameters, memory budgets, and pool of open sessions. */
export type Engine = { options: SessionOptions; store: Store; memory: MemoryPlan; pool: SessionPool };

export function makeEngine(config: PolicyConfig, spec: RunSpec, { store, ...options }: Place): Engine {
  const memory = planMemory(config, spec.execution.memoryLimitMb);
  const pool = makeSessionPool(memory.sessionBytes);
  const returnsMemory = config.architecture !== undefined;
  return { options: { ...options, returnsMemory }, store: store ?? makeStore(options), memory, pool };
}

/** Tokens whose probability is measured (`PolicyGradient.control`). */
type Measured = { controlTokens?: readonly number[] };

export function makeLearner(config: PolicyConfig, spec: RunSpec, engine: Engine & Measured): Learner {
  const { memory, store, controlTokens = [] } = engine;
  const { rowLimit } = memory;
  const { scorers, policies, cloners, likelihoods } = openGraphs({ config, spec, engine, controlTokens });
  return {
    async score(parameters, rows) {
      const { unique, indices } = withoutRepetition(rows);
      const scores: Scores[] = [];
      for (const part of microBatches(unique, rowLimit)) {
        const { feeds, unpack } = padPart(part);
        const session = await scorers(part.shape);
        const outputs = await session.run({ ...parameters, ...feeds });
        const [logProbs, entropies] = [unpack(outputs.logProbs), unpack(outputs.entropy)];
        for (const [i, { index }] of part.rows.entries()) {
          scores[index] = { logProbs: logProbs[i] ?? empty, entropies: entropies[i] ?? empty };
        }
      }
      return indices.map((index) => scores[index] ?? { logProbs: empty, entropies: empty });
    },
    gradientNorms: (parameters, rows) => normsOfRows(parameters, rows, { store, sessionAt: likelihoods }),
    async policyGradient(parameters, rows, inputs) {
      const [numRows, width] = layOutResponses(rows).shape;
      let total: Weights | undefined;
      const loss: LossParts = { total: 0, policy: 0, kl: 0, entropy: 0 };
      const logProbs = new Float32Array(numRows * width);
      const control = { mass: 0, numTokens: 0 };
      const parts = microBatches(rows, rowLimit);
      for (const part of parts) {
        const { partRows, unpack, feeds, mask } = padPart(part);
        const session = await policies(part.shape);
        const cut = Object.fromEntries(lossInputs.map((name) => [name, cutRows(inputs[name], part, width)]));
        const { outputs, gradients } = await session.run({ ...parameters, ...feeds, mask, ...cut });
        total = await store.add(total, gradients);
        for (const name of lossParts) loss[name] += outputs[name][0] ?? NaN;
        for (const [i, values] of unpack(outputs.logProbs).entries()) {
          logProbs.set(values, (part.rows[i]?.index ?? 0) * width);
        }
        if (controlTokens.length > 0)
          addMass(control, controlTokens, { partRows, masses: unpack(outputs.controlMass) });
      }
      return { gradients: total ?? {}, loss, logProbs, positions: countPositions(parts), control };
    },
    async cloneGradient(parameters, rows) {
      let total: Weights | undefined;
      const numTokens = rows.reduce((n, row) => n + row.response.length, 0);
      let [loss, numCorrect] = [0, 0];
      for (const part of microBatches(rows, rowLimit)) {
        const { feeds, mask } = padPart(part);
        const session = await cloners(part.shape);
        const weights = mask.map((x) => x / numTokens);
        const result = await session.run({ ...parameters, ...feeds, mask, weights });
        total = await store.add(total, result.gradients);
        loss += result.loss;
        numCorrect += result.outputs.numCorrect[0] ?? NaN;
      }
      return { gradients: total ?? {}, loss, tokenAccuracy: numCorrect / numTokens };
    },
    close: () => engine.pool.close(),
  };
}

/** Adds the masses at response tokens that are not control tokens. */
function addMass(
  control: PolicyGradient["control"],
  controlTokens: readonly number[],
  { partRows, masses }: { partRows: readonly TokenRow[]; masses: readonly Float32Array[] },
): void {
  for (const [i, { response }] of partRows.entries()) {
    for (const [t, token] of response.entries()) {
      if (controlTokens.includes(token)) continue;
      control.mass += masses[i]?.[t] ?? NaN;
      control.numTokens += 1;
    }
  }
}

async function normsOfRows(
  parameters: Weights,
  rows: readonly TokenRow[],
  { store, sessionAt }: { store: Store; sessionAt: (shape: BatchShape) => Promise<Gradient<never>> },
): Promise<number[]> {
  const { unique, indices } = withoutRepetition(rows);
  const norms: number[] = [];
  for (const part of microBatches(unique, () => 1)) {
    const { feeds, mask } = padPart(part);
    const session = await sessionAt(part.shape);
    const { gradients } = await session.run({ ...parameters, ...feeds, mask });
    const norm = await store.norm(gradients);
    store.release(gradients);
    for (const { index } of part.rows) norms[index] = norm;
  }
  return indices.map((index) => norms[index] ?? NaN);
}

/** Settings that all training graphs of a run share; they differ only in shape. */
type Plan = { config: PolicyConfig; spec: RunSpec; engine: Engine; controlTokens: readonly number[] };

function openGraphs(plan: Plan) {
  const { forwardBytes, gradientBytes } = plan.engine.memory;
  const { pool } = plan.engine;
  return {
    scorers: (shape: BatchShape) =>
      pool.at(`score ${nameOf(shape)}`, forwardBytes(shape), () => makeScorer(plan, shape)),
    policies: (shape: BatchShape) =>
      pool.at(`policy ${nameOf(shape)}`, gradientBytes(shape), () => makePolicyGradient(plan, shape)),
    likelihoods: (shape: BatchShape) =>
      pool.at(`likelihood ${nameOf(shape)}`, gradientBytes(shape), () => makeLikelihood(plan, shape)),
    cloners: (shape: BatchShape) =>
      pool.at(`clone ${nameOf(shape)}`, gradientBytes(shape), () => makeCloner(plan, shape)),
  };
}

const empty = new Float32Array(0);

export function nameOf({ numRows, numTokens, numSelected }: BatchShape): string {
  return `${numRows} ${numTokens} ${numSelected}`;
}

/** Removes repeated rows, common in a group, so that each is scored once; `indices` maps each row to its unique one. */
function withoutRepetition(rows: readonly TokenRow[]): { unique: TokenRow[]; indices: number[] } {
  const known = new Map<string, number>();
  const unique: TokenRow[] = [];
  const indices = rows.map((row) => {
    const feedback = row.feedback?.map(({ at, tokens }) => `|${at}:${tokens.join(" ")}`) ?? [];
    const key = `${row.prompt.join(" ")}|${row.response.join(" ")}${feedback.join("")}`;
    const index = known.get(key) ?? unique.push(row) - 1;
    known.set(key, index);
    return index;
  });
  return { unique, indices };
}

/** Pads a micro-batch's rows to its shape. `unpack` splits (B, R) values into one array per row, without padding. */
export function padPart({ rows, shape }: MicroBatch<TokenRow>) {
  const partRows = rows.map(({ row }) => row);
  const { mask, ...feeds } = padRows(partRows, shape);
  const unpack = (packed: Float32Array) => unpackResponses(partRows, packed, [shape.numRows, shape.numSelected]);
  return { partRows, mask, feeds: feeds satisfies Feeds, unpack };
}

/** Selects a micro-batch's rows from the minibatch's (B, R) values, cut to its number of response tokens. */
export function cutRows(values: Float32Array, { rows, shape }: MicroBatch<TokenRow>, width: number): Float32Array {
  const cut = new Float32Array(shape.numRows * shape.numSelected);
  for (const [i, { row, index }] of rows.entries()) {
    cut.set(values.subarray(index * width, index * width + row.response.length), i * shape.numSelected);
  }
  return cut;
}

async function makeScorer(plan: Plan, shape: BatchShape): Promise<Session<"logProbs" | "entropy">> {
  const { logProbs, entropy } = forward(plan, shape, plan.spec.rollout.temperature);
  return makeSession({ logProbs, entropy }, plan.engine.options);
}

type PolicyOutput = keyof LossParts | "logProbs" | "controlMass";

function makePolicyGradient(plan: Plan, shape: BatchShape): Promise<Gradient<PolicyOutput>> {
  const { spec, engine, controlTokens } = plan;
  const { wrt, kept, logProbs, entropy, massOf } = forward(plan, shape, spec.rollout.temperature);
  const nodes = { ...lossNodes([shape.numRows, shape.numSelected]), logProbs, entropy };
  const loss = buildLoss(spec.method, spec.update, nodes);
  // Without control tokens an output of the loss stands in, so that the graph stays as it is.
  const outputs = { ...loss, logProbs, controlMass: controlTokens.length > 0 ? massOf(controlTokens) : loss.total };
  return engine.store.differentiate({ loss: loss.total, wrt, kept, outputs }, engine.options);
}

/** Compiles the gradient of −Σ log π over all response tokens, unweighted, for the gradient norm of a row. */
function makeLikelihood(plan: Plan, shape: BatchShape): Promise<Gradient<never>> {
  const { spec, engine } = plan;
  const { wrt, kept, logProbs } = forward(plan, shape, spec.rollout.temperature);
  const mask = input("mask", [shape.numRows, shape.numSelected]);
  return engine.store.differentiate({ loss: neg(sum(mul(mask, logProbs))), wrt, kept, outputs: {} }, engine.options);
}

function makeCloner(plan: Plan, shape: BatchShape): Promise<Gradient<"numCorrect">> {
  const { store, options } = plan.engine;
  const { wrt, kept, logits, targets, logProbs } = forward(plan, shape);
  const perToken = (name: string) => input(name, [shape.numRows, shape.numSelected]);
  const loss = neg(sum(mul(perToken("weights"), logProbs)));
  // A target token counts as predicted correctly if no other logit exceeds its logit.
  const isBeaten = isGreater(max(logits, -1), takeAlongLast(logits, targets));
  return store.differentiate(
    { loss, wrt, kept, outputs: { numCorrect: sum(mul(perToken("mask"), sub(1, isBeaten))) } },
    options,
  );
}

/** Builds the forward pass of a training graph. Log-probabilities are those of logits divided by `temperature`. */
function forward(
  { config, engine: { memory } }: Plan,
  { numRows, numTokens, numSelected }: BatchShape,
  temperature = 1,
) {
  const inputs = parameterInputs(config);
  const tokens = input("tokens", [numRows, numTokens], "i64");
  const targets = input("targets", [numRows, numSelected], "i64");
  const network = { parameters: inputs, config };
  const { hidden, residuals } = transformer(network, tokens, selectionInputs(numRows, numSelected));
  const logits = toLogits(network, hidden);
  const kept = memory.recomputes({ numTokens, numSelected }) ? residuals : [];
  const scores = tokenLogProbs(logits, targets, temperature);
  const measured = { hidden, logits, targets, logProbs: scores.logProbs, temperature };
  const massOf = (ids: readonly number[]): Tensor => tokenMass(ids, network, measured);
  return { wrt: learningInputs(inputs, config), kept, targets, logits, ...scores, massOf };
}

/** Open sessions of compiled graphs, limited by a memory budget. */
type SessionPool = {
  /** Returns the session with this name, made by `make` at first use. `bytes` is the memory that it takes. */
  at<S extends Closable>(name: string, bytes: number, make: () => Promise<S>): Promise<S>;
  close(): Promise<void>;
};

type Closable = { close(): Promise<void> };

/**
 * A session keeps its largest pass's memory, so the least recently used are closed above the budget; one may exceed it.
 */
export function makeSessionPool(budgetBytes: number): SessionPool {
  /** Open sessions by name, ordered from least to most recently used. */
  const open = new Map<string, { session: Promise<Closable>; bytes: number }>();
  const total = (): number => [...open.values()].reduce((sum, { bytes }) => sum + bytes, 0);
  return {
    async at<S extends Closable>(name: string, bytes: number, make: () => Promise<S>): Promise<S> {
      const known = open.get(name);
      open.delete(name);
      for (const [other, { session }] of open) {
        if (known || total() + bytes <= budgetBytes) break;
        open.delete(other);
        await (await session).close();
      }
      const session = known ? (known.session as Promise<S>) : make();
      open.set(name, { session, bytes });
      return session;
    },
    async close() {
      for (const { session } of open.values()) await (await session).close();
      open.clear();
    },
  };
}
