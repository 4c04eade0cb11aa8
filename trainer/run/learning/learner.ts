import { input, isGreater, max, mul, neg, sub, sum, takeAlongLast } from "#trainer/graph/ops.ts";
import { buildLoss } from "#trainer/objective/loss.ts";
import { globalNorm } from "#trainer/objective/optimizer.ts";
import { makeSession, type Feeds, type Session, type SessionOptions } from "#trainer/onnx/session.ts";
import type { PolicyConfig } from "#trainer/policy/config.ts";
import { makeGradientSession, type GradientSession } from "#trainer/policy/gradientSession.ts";
import { learningInputs, parameterInputs, type Parameters } from "#trainer/policy/parameters.ts";
import { selectionInputs, tokenLogProbs, toLogits, transformer } from "#trainer/policy/transformer.ts";
import type { RunSpec } from "#trainer/spec/run.ts";
import { layOutResponses, padRows, unpackResponses, type BatchShape, type TokenRow } from "./batch.ts";
import { planMemory, type MemoryPlan } from "./memory.ts";
import { countPositions, microBatches, type MicroBatch } from "./microBatch.ts";
import { makeSessionPool, type SessionPool } from "./sessions.ts";

export type { Parameters } from "#trainer/policy/parameters.ts";

/** log π and entropy of every response token of one row, in nats. */
export type Scores = { logProbs: Float32Array; entropies: Float32Array };

const lossParts = ["total", "policy", "kl", "entropy"] as const;
export type LossParts = Record<(typeof lossParts)[number], number>;

/** What the loss reads of a mini-batch beside its tokens, by name; everything (B, R), see `layOutResponses`. */
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
  gradients: Record<string, Float32Array>;
  loss: LossParts;
  /** (B, R), under the parameters before the step. */
  logProbs: Float32Array;
  /** Positions through the pass that hold a token, and that do not. */
  positions: { held: number; padded: number };
};

/**
 * The policy's mathematics as compiled graphs: one session per purpose and shape, made at first use. Batches are cut
 * into micro-batches, whose gradients add up because the weights already carry the denominators of the mini-batch.
 */
export type Learner = {
  score(parameters: Parameters, rows: readonly TokenRow[]): Promise<Scores[]>;
  /** ‖∇ Σ log π‖ over all parameters, of every row by itself: one backward pass a row. */
  gradientNorms(parameters: Parameters, rows: readonly TokenRow[]): Promise<number[]>;
  /** The weights among the inputs carry the denominators of the whole mini-batch. */
  policyGradient(parameters: Parameters, rows: readonly TokenRow[], inputs: LossInputs): Promise<PolicyGradient>;
  /** Negative log-likelihood of responses, mean over their tokens. */
  cloneGradient(
    parameters: Parameters,
    rows: readonly TokenRow[],
  ): Promise<{ gradients: Record<string, Float32Array>; loss: number; tokenAccuracy: number }>;
  close(): Promise<void>;
};

/** What learning computes with: where graphs run, what memory they may hold, and which are open. */
export type Engine = { options: SessionOptions; memory: MemoryPlan; pool: SessionPool };

export function makeEngine(config: PolicyConfig, spec: RunSpec, options: SessionOptions): Engine {
  const memory = planMemory(config, spec.execution.memoryLimitMb);
  const returnsMemory = config.architecture !== undefined;
  return { options: { ...options, returnsMemory }, memory, pool: makeSessionPool(memory.sessionBytes) };
}

export function makeLearner(config: PolicyConfig, spec: RunSpec, engine: Engine): Learner {
  const { rowLimit } = engine.memory;
  const { scorers, policies, cloners, likelihoods } = openGraphs({ config, spec, ...engine }, engine);
  return {
    async score(parameters, rows) {
      const { unique, indices } = withoutRepetition(rows);
      const scores: Scores[] = [];
      for (const part of microBatches(unique, rowLimit)) {
        const { partRows, shape, feeds } = padPart(part);
        const session = await scorers(part.shape);
        const outputs = await session.run({ ...parameters, ...feeds });
        const logProbs = unpackResponses(partRows, outputs.logProbs, shape);
        const entropies = unpackResponses(partRows, outputs.entropy, shape);
        for (const [i, { index }] of part.rows.entries()) {
          scores[index] = { logProbs: logProbs[i] ?? empty, entropies: entropies[i] ?? empty };
        }
      }
      return indices.map((index) => scores[index] ?? { logProbs: empty, entropies: empty });
    },
    gradientNorms: (parameters, rows) => normsOfRows(parameters, rows, likelihoods),
    async policyGradient(parameters, rows, inputs) {
      const [numRows, width] = layOutResponses(rows).shape;
      const total = emptyGradients(parameters);
      const loss: LossParts = { total: 0, policy: 0, kl: 0, entropy: 0 };
      const logProbs = new Float32Array(numRows * width);
      const parts = microBatches(rows, rowLimit);
      for (const part of parts) {
        const { partRows, shape, feeds, mask } = padPart(part);
        const session = await policies(part.shape);
        const cut = Object.fromEntries(lossInputs.map((name) => [name, cutRows(inputs[name], part, width)]));
        const { outputs, gradients } = await session.run({ ...parameters, ...feeds, mask, ...cut });
        accumulate(total, gradients);
        for (const name of lossParts) loss[name] += outputs[name][0] ?? NaN;
        for (const [i, values] of unpackResponses(partRows, outputs.logProbs, shape).entries()) {
          logProbs.set(values, (part.rows[i]?.index ?? 0) * width);
        }
      }
      return { gradients: total, loss, logProbs, positions: countPositions(parts) };
    },
    async cloneGradient(parameters, rows) {
      const total = emptyGradients(parameters);
      const numTokens = rows.reduce((n, row) => n + row.response.length, 0);
      let [loss, numCorrect] = [0, 0];
      for (const part of microBatches(rows, rowLimit)) {
        const { feeds, mask } = padPart(part);
        const session = await cloners(part.shape);
        const weights = mask.map((x) => x / numTokens);
        const result = await session.run({ ...parameters, ...feeds, mask, weights });
        accumulate(total, result.gradients);
        loss += result.loss;
        numCorrect += result.outputs.numCorrect[0] ?? NaN;
      }
      return { gradients: total, loss, tokenAccuracy: numCorrect / numTokens };
    },
    close: () => engine.pool.close(),
  };
}

async function normsOfRows(
  parameters: Parameters,
  rows: readonly TokenRow[],
  sessionAt: (shape: BatchShape) => Promise<GradientSession<never>>,
): Promise<number[]> {
  const { unique, indices } = withoutRepetition(rows);
  const norms: number[] = [];
  for (const part of microBatches(unique, () => 1)) {
    const { feeds, mask } = padPart(part);
    const session = await sessionAt(part.shape);
    const { gradients } = await session.run({ ...parameters, ...feeds, mask });
    for (const { index } of part.rows) norms[index] = globalNorm(Object.values(gradients));
  }
  return indices.map((index) => norms[index] ?? NaN);
}

/** What every graph of a run is built from, beside its shape. */
type Plan = { config: PolicyConfig; spec: RunSpec; options: SessionOptions; memory: MemoryPlan };

function openGraphs(plan: Plan, { memory: { forwardBytes, gradientBytes }, pool }: Engine) {
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

/** Rows that read and wrote the same are scored once: episodes of a group start alike and often do alike. */
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

/** A micro-batch as its graph reads it. */
export function padPart({ rows, shape }: MicroBatch<TokenRow>) {
  const partRows = rows.map(({ row }) => row);
  const { mask, ...feeds } = padRows(partRows, shape);
  return { partRows, mask, feeds: feeds satisfies Feeds, shape: [shape.numRows, shape.numSelected] as const };
}

/** (B, R) values of the mini-batch → those of a micro-batch, in its width. */
export function cutRows(values: Float32Array, { rows, shape }: MicroBatch<TokenRow>, width: number): Float32Array {
  const cut = new Float32Array(shape.numRows * shape.numSelected);
  for (const [i, { row, index }] of rows.entries()) {
    cut.set(values.subarray(index * width, index * width + row.response.length), i * shape.numSelected);
  }
  return cut;
}

async function makeScorer(plan: Plan, shape: BatchShape): Promise<Session<"logProbs" | "entropy">> {
  const { logProbs, entropy } = forward(plan, shape, plan.spec.rollout.temperature);
  return makeSession({ logProbs, entropy }, plan.options);
}

type PolicyOutput = keyof LossParts | "logProbs";

async function makePolicyGradient(plan: Plan, shape: BatchShape): Promise<GradientSession<PolicyOutput>> {
  const { spec } = plan;
  const { wrt, kept, logProbs, entropy } = forward(plan, shape, spec.rollout.temperature);
  const perToken = (name: string) => input(name, [shape.numRows, shape.numSelected]);
  const loss = buildLoss(spec.method, spec.update, {
    logProbs,
    entropy,
    oldLogProbs: perToken("oldLogProbs"),
    referenceLogProbs: perToken("referenceLogProbs"),
    advantages: perToken("advantages"),
    mask: perToken("mask"),
    policyWeights: perToken("policyWeights"),
    penaltyWeights: perToken("penaltyWeights"),
    signal: perToken("signal"),
  });
  return makeGradientSession({ loss: loss.total, wrt, kept, outputs: { ...loss, logProbs } }, plan.options);
}

/** −Σ log π of all responses, without any weight. */
async function makeLikelihood(plan: Plan, shape: BatchShape): Promise<GradientSession<never>> {
  const { wrt, kept, logProbs } = forward(plan, shape, plan.spec.rollout.temperature);
  const mask = input("mask", [shape.numRows, shape.numSelected]);
  return makeGradientSession({ loss: neg(sum(mul(mask, logProbs))), wrt, kept, outputs: {} }, plan.options);
}

async function makeCloner(plan: Plan, shape: BatchShape): Promise<GradientSession<"numCorrect">> {
  const { wrt, kept, logits, targets, logProbs } = forward(plan, shape);
  const perToken = (name: string) => input(name, [shape.numRows, shape.numSelected]);
  const loss = neg(sum(mul(perToken("weights"), logProbs)));
  // A target is the most likely token when no logit exceeds its logit.
  const isBeaten = isGreater(max(logits, -1), takeAlongLast(logits, targets));
  return makeGradientSession(
    { loss, wrt, kept, outputs: { numCorrect: sum(mul(perToken("mask"), sub(1, isBeaten))) } },
    plan.options,
  );
}

/** Rollouts are sampled at a temperature, so the policy that is trained is the tempered one. */
function forward({ config, memory }: Plan, { numRows, numTokens, numSelected }: BatchShape, temperature = 1) {
  const inputs = parameterInputs(config);
  const tokens = input("tokens", [numRows, numTokens], "i64");
  const targets = input("targets", [numRows, numSelected], "i64");
  const network = { parameters: inputs, config };
  const { hidden, residuals } = transformer(network, tokens, selectionInputs(numRows, numSelected));
  const logits = toLogits(network, hidden);
  const kept = memory.recomputes(numTokens) ? residuals : [];
  return { wrt: learningInputs(inputs, config), kept, targets, logits, ...tokenLogProbs(logits, targets, temperature) };
}

export function emptyGradients(parameters: Parameters): Record<string, Float32Array> {
  return Object.fromEntries(
    Object.entries(parameters).map(([name, values]) => [name, new Float32Array(values.length)]),
  );
}

export function accumulate(total: Record<string, Float32Array>, part: Readonly<Record<string, Float32Array>>): void {
  for (const [name, sums] of Object.entries(total)) {
    const values = part[name];
    if (!values) throw new Error(`learner: no gradient for ${name}`);
    for (let i = 0; i < sums.length; i++) sums[i] = (sums[i] ?? 0) + (values[i] ?? 0);
  }
}
