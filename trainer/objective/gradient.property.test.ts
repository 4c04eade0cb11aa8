import { describe, expect, it } from "vitest";
import { gradients } from "#trainer/graph/backward.ts";
import { interpret } from "#trainer/graph/testing/interpret.ts";
import { input, mul, sum } from "#trainer/graph/ops.ts";
import type { Tensor } from "#trainer/graph/tensor.ts";
import { makeSession } from "#trainer/onnx/session.ts";
import { Clipping } from "#trainer/spec/dimensions.ts";
import { split, type Rng } from "#trainer/spec/rng.ts";
import { UpdateSpec } from "#trainer/spec/run.ts";
import { policyLoss } from "./clipping.ts";
import { klLoss, type KlEstimator } from "./kl.ts";
import { plainKl, plainPolicyLoss, type PlainBatch } from "./testing/plainLoss.ts";

const numBatches = 200;
const shape = [3, 4] as const;
const lengths = [4, 1, 3];

const clippings: Record<string, Clipping> = {
  "token clip": Clipping.parse({ kind: "token", low: 0.2, high: 0.28 }),
  "token clip without dual": Clipping.parse({ kind: "token", low: 0.2, high: 0.2, dual: null }),
  "turn clip": Clipping.parse({ kind: "sequence", low: 0.03, high: 0.04 }),
  "turn clip, credit by token": Clipping.parse({ kind: "sequence", low: 0.3, high: 0.4, credit: "token" }),
  "soft gate": Clipping.parse({ kind: "sapo", tauPositive: 1, tauNegative: 1.05 }),
  "clipped weight": Clipping.parse({ kind: "cispo", low: 1, high: 0.2 }),
  "entropy-aware clip": Clipping.parse({ kind: "aepo", low: 0.2, high: 0.2 }),
  "geometric mean": Clipping.parse({ kind: "geometricMean" }),
  "covariance clip": Clipping.parse({ kind: "clipCov", low: 0.2, high: 0.2 }),
  "covariance penalty": Clipping.parse({ kind: "klCov", weight: 0.7 }),
  "two-sided clip": Clipping.parse({ kind: "token", low: 0.2, high: 0.2, dual: null, twoSided: 1.5 }),
  "difference mask": Clipping.parse({ kind: "divergence", low: 0.15, high: 0.15, cap: 2, drift: 0.1 }),
  "KL mask, both sides": Clipping.parse({
    kind: "divergence",
    measure: "binaryKl",
    low: 0.05,
    high: 0.05,
    sided: "both",
    surrogate: "ratio",
    cap: null,
  }),
  "quadratic penalty in probability": Clipping.parse({ kind: "quadratic", delta: 0.15 }),
  "quadratic penalty in the ratio": Clipping.parse({ kind: "quadratic", geometry: "ratio", delta: 0.2 }),
  "squared log-ratio": Clipping.parse({ kind: "quadraticLog", beta: 0.1 }),
  "variational weight": Clipping.parse({ kind: "vespo" }),
  "asymmetric ratio": Clipping.parse({ kind: "aspo", low: 0.2, high: 0.2, lowWide: 0.4, highWide: 0.4, dual: 2 }),
  "preserved gradient": Clipping.parse({ kind: "gradientPreserving", low: 0.2, high: 0.2, dual: 2 }),
  "turn ratio": Clipping.parse({ kind: "turn", low: 0.2, high: 0.2 }),
  score: Clipping.parse({ kind: "score" }),
  "unclipped ratio": Clipping.parse({ kind: "ratio" }),
};

type Batch = PlainBatch & { logProbs: number[][]; mask: number[] };

/**
 * A random batch with ratios from about e⁻² to e², at least one row for each sign of the advantage, and both signal
 * values.
 */
function randomBatch(rng: Rng, isCovariance: boolean): Batch {
  const rows = (value: () => number): number[][] => lengths.map((n) => Array.from({ length: n }, value));
  const oldLogProbs = rows(() => -3 * rng.next());
  return {
    logProbs: oldLogProbs.map((own) => own.map((x) => x + 0.8 * rng.normal())),
    oldLogProbs,
    referenceLogProbs: oldLogProbs.map((own) => own.map((x) => x + 0.5 * rng.normal())),
    advantages: lengths.map((n, i) => {
      const sign = i === 0 ? 1 : i === 1 ? -1 : rng.next() < 0.5 ? 1 : -1;
      return Array.from({ length: n }, () => sign * (0.2 + 2 * rng.next()));
    }),
    signal: rows(() => (isCovariance ? Number(rng.next() < 0.5) : rng.normal())),
    weights: rows(() => 0.1 + rng.next()),
    mask: rows(() => 1).flatMap((own) => pad(own, 0)),
  };
}

/** Padding has absurd values on purpose, because only the weights and the mask should exclude it. */
function pad(own: readonly number[], filler: number): number[] {
  return [...own, ...Array.from({ length: shape[1] - own.length }, () => filler)];
}

function feedsOf(batch: Batch): Record<string, Float64Array> {
  const laid = (rows: readonly (readonly number[])[], filler = 1e3): Float64Array =>
    Float64Array.from(rows.flatMap((own) => pad(own, filler)));
  return {
    logProbs: laid(batch.logProbs),
    oldLogProbs: laid(batch.oldLogProbs),
    referenceLogProbs: laid(batch.referenceLogProbs),
    advantages: laid(batch.advantages),
    signal: laid(batch.signal, 0),
    weights: laid(batch.weights, 0),
    mask: Float64Array.from(batch.mask),
  };
}

const nodes = {
  logProbs: input("logProbs", shape),
  oldLogProbs: input("oldLogProbs", shape),
  referenceLogProbs: input("referenceLogProbs", shape),
  advantages: input("advantages", shape),
  mask: input("mask", shape),
  signal: input("signal", shape),
};
const weights = input("weights", shape);

function withGradient(tokens: Tensor): { loss: Tensor; gradient: Tensor } {
  const loss = sum(mul(weights, tokens));
  const [gradient] = gradients(loss, [nodes.logProbs]);
  if (!gradient) throw new Error("no gradient");
  return { loss, gradient };
}

/** Numerical derivative of `value` by central differences; undefined near a kink, where two step sizes disagree. */
function differences(batch: Batch, value: (logProbs: number[][]) => number): (number | undefined)[][] {
  return batch.logProbs.map((own, i) =>
    own.map((x, t) => {
      const at = (h: number): number => value(batch.logProbs.map((row, j) => (j === i ? row.with(t, x + h) : row)));
      const [wide, narrow] = [1e-5, 2e-6].map((h) => (at(h) - at(-h)) / (2 * h));
      if (wide === undefined || narrow === undefined) return undefined;
      return Math.abs(wide - narrow) > 1e-5 * (1 + Math.abs(wide)) ? undefined : narrow;
    }),
  );
}

/**
 * Compares loss and gradient with plain arithmetic on `numBatches` random batches. At most one derivative in fifty may
 * be skipped because of a kink.
 */
function compare(name: string, tokens: Tensor, value: (batch: Batch, logProbs: number[][]) => number): void {
  const { loss, gradient } = withGradient(tokens);
  let [numSkipped, numSeen] = [0, 0];
  for (let seed = 0; seed < numBatches; seed++) {
    const batch = randomBatch(split(seed, name), name.startsWith("covariance"));
    const [actualLoss, actual] = interpret([loss, gradient], feedsOf(batch));
    expect(actualLoss?.[0], `${name}, seed ${seed}: loss`).toBeCloseTo(value(batch, batch.logProbs), 9);
    for (const [i, row] of differences(batch, (moved) => value(batch, moved)).entries()) {
      for (const [t, expected] of row.entries()) {
        numSeen++;
        if (expected === undefined) numSkipped++;
        else expect(actual?.[i * shape[1] + t], `${name}, seed ${seed}, row ${i}, token ${t}`).toBeCloseTo(expected, 5);
      }
      for (let t = row.length; t < shape[1]; t++) {
        expect(Math.abs(actual?.[i * shape[1] + t] ?? NaN), `${name}, seed ${seed}: padding`).toBe(0);
      }
    }
  }
  expect(numSkipped / numSeen).toBeLessThan(0.02);
}

describe(`losses and gradients equal plain arithmetic and its differences on ${numBatches} random batches`, () => {
  it.each(Object.entries(clippings))("%s", (name, clipping) => {
    compare(name, policyLoss(clipping, nodes), (batch, moved) =>
      plainPolicyLoss(clipping, batch, moved, batch.logProbs),
    );
  });

  const estimators: readonly KlEstimator[] = UpdateSpec.shape.klEstimator.unwrap().options;
  it.each(estimators.filter((name) => !name.endsWith("+")))("KL %s", (estimator) => {
    compare(`KL ${estimator}`, klLoss(estimator, nodes), (batch, moved) => plainKl(estimator, batch, moved));
  });

  it.each(estimators.filter((name) => name.endsWith("+")))(
    "KL %s has its value and the gradient of k2",
    (estimator) => {
      const [{ loss, gradient }, k2] = [withGradient(klLoss(estimator, nodes)), withGradient(klLoss("k2", nodes))];
      for (let seed = 0; seed < numBatches; seed++) {
        const feeds = feedsOf(randomBatch(split(seed, estimator), false));
        const plain = withGradient(klLoss(estimators.find((name) => `${name}+` === estimator) ?? "k1", nodes));
        const [value, own, expected, slope] = interpret([loss, gradient, plain.loss, k2.gradient], feeds);
        expect(value?.[0], `seed ${seed}`).toBeCloseTo(expected?.[0] ?? NaN, 9);
        expect([...(own ?? [])], `seed ${seed}`).toEqual([...(slope ?? [])].map((x) => expect.closeTo(x, 9)));
      }
    },
  );
});

describe("ONNX Runtime computes the same in single precision", () => {
  it.each(Object.entries(clippings))("%s", async (name, clipping) => {
    const outputs = withGradient(policyLoss(clipping, nodes));
    const session = await makeSession(outputs);
    for (let seed = 0; seed < 10; seed++) {
      const feeds = feedsOf(randomBatch(split(seed, name), name.startsWith("covariance")));
      const single = Object.fromEntries(Object.entries(feeds).map(([key, x]) => [key, Float32Array.from(x)]));
      const actual = await session.run(single);
      const [loss, gradient] = interpret([outputs.loss, outputs.gradient], feeds);
      expect(actual.loss[0], `${name}, seed ${seed}`).toBeCloseTo(loss?.[0] ?? NaN, 4);
      expect([...actual.gradient], `${name}, seed ${seed}`).toEqual(
        [...(gradient ?? [])].map((x) => expect.closeTo(x, 4)),
      );
    }
    await session.close();
  });
});
