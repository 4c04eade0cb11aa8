import { input, isGreater, max, mul, neg, sub, sum, takeAlongLast } from "#trainer/graph/ops.ts";
import { buildLoss } from "#trainer/objective/loss.ts";
import { makeSession, type Session } from "#trainer/onnx/session.ts";
import type { PolicyConfig } from "#trainer/policy/config.ts";
import { makeGradientSession, type GradientSession } from "#trainer/policy/gradientSession.ts";
import { parameterInputs, type Parameters } from "#trainer/policy/parameters.ts";
import { tokenLogProbs, transformerLogits } from "#trainer/policy/transformer.ts";
import type { RunSpec } from "#trainer/spec/run.ts";
import {
  bucketWidth,
  chunk,
  layOutResponses,
  padRows,
  placeOnResponses,
  readResponses,
  type TokenRow,
} from "./batch.ts";

export type { Parameters } from "#trainer/policy/parameters.ts";

/** log π and entropy of every response token of one row, in nats. */
export type Scores = { logProbs: Float32Array; entropies: Float32Array };

export type LossParts = { total: number; policy: number; kl: number; entropy: number };

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
};

/**
 * The policy's mathematics as compiled graphs: one session per purpose and width, made on first use.
 * Batches are cut into micro-batches of `microBatchRows`, whose gradients add up because the weights already carry the
 * denominators of the whole mini-batch.
 */
export type Learner = {
  readonly microBatchRows: number;
  score(parameters: Parameters, rows: readonly TokenRow[]): Promise<Scores[]>;
  /** The weights among the inputs carry the denominators of the whole mini-batch. */
  policyGradient(parameters: Parameters, rows: readonly TokenRow[], inputs: LossInputs): Promise<PolicyGradient>;
  /** Negative log-likelihood of responses, mean over their tokens. */
  cloneGradient(
    parameters: Parameters,
    rows: readonly TokenRow[],
  ): Promise<{ gradients: Record<string, Float32Array>; loss: number; tokenAccuracy: number }>;
  close(): Promise<void>;
};

export function makeLearner(config: PolicyConfig, spec: RunSpec, microBatchRows: number): Learner {
  const scorers = cache((width) => makeScorer(config, spec, [microBatchRows, width]));
  const policies = cache((width) => makePolicyGradient(config, spec, [microBatchRows, width]));
  const cloners = cache((width) => makeCloner(config, [microBatchRows, width]));
  return {
    microBatchRows,
    async score(parameters, rows) {
      const scores: Scores[] = [];
      for (const part of byWidth(rows, microBatchRows)) {
        const shape = [microBatchRows, bucketWidth(part.map(({ row }) => row))] as const;
        const ownRows = part.map(({ row }) => row);
        const { tokens, targets } = padRows(ownRows, shape);
        const session = await scorers.at(shape[1]);
        const { logProbs, entropy } = await session.run({ ...parameters, tokens, targets });
        const ownLogProbs = readResponses(ownRows, logProbs, shape);
        const ownEntropies = readResponses(ownRows, entropy, shape);
        for (const [i, { index }] of part.entries()) {
          scores[index] = { logProbs: ownLogProbs[i] ?? empty, entropies: ownEntropies[i] ?? empty };
        }
      }
      return scores;
    },
    async policyGradient(parameters, rows, inputs) {
      const [numRows, responseWidth] = layOutResponses(rows).shape;
      const total = emptyGradients(parameters);
      const loss: LossParts = { total: 0, policy: 0, kl: 0, entropy: 0 };
      const logProbs = new Float32Array(numRows * responseWidth);
      for (const part of byWidth(rows, microBatchRows)) {
        const ownRows = part.map(({ row }) => row);
        const shape = [microBatchRows, bucketWidth(ownRows)] as const;
        const session = await policies.at(shape[1]);
        const own = (values: Float32Array): Float32Array =>
          placeOnResponses(
            ownRows,
            part.map(({ row, index }) =>
              values.subarray(index * responseWidth, index * responseWidth + row.response.length),
            ),
            shape,
          );
        const placed = Object.fromEntries(lossInputs.map((name) => [name, own(inputs[name])]));
        const { tokens, targets, mask } = padRows(ownRows, shape);
        const { outputs, gradients } = await session.run({ ...parameters, tokens, targets, mask, ...placed });
        accumulate(total, gradients);
        loss.total += outputs.total[0] ?? NaN;
        loss.policy += outputs.policy[0] ?? NaN;
        loss.kl += outputs.kl[0] ?? NaN;
        loss.entropy += outputs.entropy[0] ?? NaN;
        for (const [i, values] of readResponses(ownRows, outputs.logProbs, shape).entries()) {
          logProbs.set(values, (part[i]?.index ?? 0) * responseWidth);
        }
      }
      return { gradients: total, loss, logProbs };
    },
    async cloneGradient(parameters, rows) {
      const total = emptyGradients(parameters);
      const numTokens = rows.reduce((n, row) => n + row.response.length, 0);
      let [loss, numCorrect] = [0, 0];
      for (const part of byWidth(rows, microBatchRows)) {
        const ownRows = part.map(({ row }) => row);
        const shape = [microBatchRows, bucketWidth(ownRows)] as const;
        const { tokens, targets, mask } = padRows(ownRows, shape);
        const session = await cloners.at(shape[1]);
        const weights = mask.map((x) => x / numTokens);
        const result = await session.run({ ...parameters, tokens, targets, mask, weights });
        accumulate(total, result.gradients);
        loss += result.loss;
        numCorrect += result.outputs.numCorrect[0] ?? NaN;
      }
      return { gradients: total, loss, tokenAccuracy: numCorrect / numTokens };
    },
    async close() {
      for (const sessions of [scorers, policies, cloners]) await sessions.close();
    },
  };
}

const empty = new Float32Array(0);
type Shape = readonly [numRows: number, width: number];

async function makeScorer(config: PolicyConfig, spec: RunSpec, shape: Shape): Promise<Session<"logProbs" | "entropy">> {
  const { logProbs, entropy } = forward(config, shape, spec.rollout.temperature);
  return makeSession({ logProbs, entropy });
}

type PolicyOutput = "total" | "policy" | "kl" | "entropy" | "logProbs";

async function makePolicyGradient(
  config: PolicyConfig,
  spec: RunSpec,
  shape: Shape,
): Promise<GradientSession<PolicyOutput>> {
  const { wrt, logProbs, entropy } = forward(config, shape, spec.rollout.temperature);
  const loss = buildLoss(spec.method, spec.update, {
    logProbs,
    entropy,
    oldLogProbs: input("oldLogProbs", shape),
    referenceLogProbs: input("referenceLogProbs", shape),
    advantages: input("advantages", shape),
    mask: input("mask", shape),
    policyWeights: input("policyWeights", shape),
    penaltyWeights: input("penaltyWeights", shape),
    signal: input("signal", shape),
  });
  return makeGradientSession({ loss: loss.total, wrt, outputs: { ...loss, logProbs } });
}

async function makeCloner(config: PolicyConfig, shape: Shape): Promise<GradientSession<"numCorrect">> {
  const { wrt, logits, targets, logProbs } = forward(config, shape);
  const mask = input("mask", shape);
  const loss = neg(sum(mul(input("weights", shape), logProbs)));
  // A target is the most likely token when no logit exceeds its own.
  const isBeaten = isGreater(max(logits, -1), takeAlongLast(logits, targets));
  return makeGradientSession({ loss, wrt, outputs: { numCorrect: sum(mul(mask, sub(1, isBeaten))) } });
}

/** Rollouts are sampled at a temperature, so the policy that is trained is the tempered one. */
function forward(config: PolicyConfig, shape: Shape, temperature = 1) {
  const wrt = parameterInputs(config);
  const tokens = input("tokens", shape, "i64");
  const targets = input("targets", shape, "i64");
  const logits = transformerLogits(wrt, tokens, config);
  return { wrt, targets, logits, ...tokenLogProbs(logits, targets, temperature) };
}

/** Sessions by width. */
function cache<S extends { close(): Promise<void> }>(make: (width: number) => Promise<S>) {
  const made = new Map<number, Promise<S>>();
  return {
    at(width: number): Promise<S> {
      const known = made.get(width) ?? make(width);
      made.set(width, known);
      return known;
    },
    async close() {
      for (const session of made.values()) await (await session).close();
    },
  };
}

/** Micro-batches of rows of similar width, each row with its place in the whole. */
function byWidth<R extends TokenRow>(rows: readonly R[], size: number): { row: R; index: number }[][] {
  const indexed = rows.map((row, index) => ({ row, index }));
  const width = ({ row }: { row: R }): number => row.prompt.length + row.response.length;
  return chunk(
    indexed.toSorted((a, b) => width(a) - width(b)),
    size,
  );
}

function emptyGradients(parameters: Parameters): Record<string, Float32Array> {
  return Object.fromEntries(
    Object.entries(parameters).map(([name, values]) => [name, new Float32Array(values.length)]),
  );
}

function accumulate(total: Record<string, Float32Array>, part: Readonly<Record<string, Float32Array>>): void {
  for (const [name, sums] of Object.entries(total)) {
    const values = part[name];
    if (!values) throw new Error(`learner: no gradient for ${name}`);
    for (let i = 0; i < sums.length; i++) sums[i] = (sums[i] ?? 0) + (values[i] ?? 0);
  }
}
