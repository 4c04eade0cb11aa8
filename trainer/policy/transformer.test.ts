import { describe, expect, it } from "vitest";
import { interpret } from "#trainer/graph/testing/interpret.ts";
import { input, neg } from "#trainer/graph/ops.ts";
import { maskedMean } from "#trainer/graph/testing/maskedMean.ts";
import { makeSession } from "#trainer/onnx/session.ts";
import { split } from "#trainer/spec/rng.ts";
import type { PolicySize } from "#trainer/spec/policy.ts";
import { policySizes, type PolicyConfig } from "./config.ts";
import { makeGradientSession } from "./gradientSession.ts";
import { makeParameters, numParameters, parameterInputs } from "./parameters.ts";
import { tokenLogProbs, tokenMass, transformer, transformerLogits } from "./transformer.ts";

const config: PolicyConfig = { size: "nano", vocabularySize: 11, contextTokens: 16, positions: "learned" };
const parameters = makeParameters(config, split(1, "parameters"));
const shape = [2, 6] as const;
const wrt = parameterInputs(config);
const logits = transformerLogits(wrt, input("tokens", shape, "i64"), config);
const { logProbs, entropy } = tokenLogProbs(logits, input("targets", shape, "i64"));
const feeds = {
  ...parameters,
  tokens: Int32Array.of(1, 2, 3, 4, 0, 0, 5, 6, 7, 8, 9, 10),
  targets: Int32Array.of(2, 3, 4, 0, 0, 0, 6, 7, 8, 9, 10, 1),
};

describe("the transformer", () => {
  it("has the sizes its names promise", () => {
    const count = (size: PolicySize): number =>
      numParameters({ size, vocabularySize: 128, contextTokens: 256, positions: "learned" });
    expect(Object.keys(policySizes)).toEqual(["nano", "micro", "mini", "small"]);
    expect(count("nano") / 0.1e6).toBeCloseTo(1, 0);
    expect(count("micro") / 0.8e6).toBeCloseTo(1, 0);
    expect(count("mini") / 3e6).toBeCloseTo(1, 0);
    expect(count("small") / 10e6).toBeCloseTo(1, 0);
  });

  it("starts the same from the same seed", () => {
    expect(makeParameters(config, split(1, "parameters"))).toEqual(parameters);
  });

  it("computes through ONNX Runtime what the reference evaluator computes", async () => {
    const session = await makeSession({ logProbs, entropy });
    const actual = await session.run(feeds);
    await session.close();
    const [expectedLogProbs = [], expectedEntropy = []] = interpret([logProbs, entropy], feeds);
    for (const [i, x] of actual.logProbs.entries()) expect(x).toBeCloseTo(expectedLogProbs[i] ?? NaN, 4);
    for (const [i, x] of actual.entropy.entries()) expect(x).toBeCloseTo(expectedEntropy[i] ?? NaN, 4);
  });

  it("sums the probability of some tokens, at a temperature", async () => {
    const { hidden } = transformer({ parameters: wrt, config }, input("tokens", shape, "i64"));
    const targets = input("targets", shape, "i64");
    const { logProbs: own } = tokenLogProbs(logits, targets, 0.7);
    const ids = [3, 1, 10];
    const mass = tokenMass(
      ids,
      { parameters: wrt, config },
      { hidden, logits, targets, logProbs: own, temperature: 0.7 },
    );
    const session = await makeSession({ logits, mass });
    const read = await session.run(feeds);
    await session.close();
    for (const [i, x] of read.mass.entries()) {
      const weights = [...read.logits.subarray(11 * i, 11 * (i + 1))].map((logit) => Math.exp(logit / 0.7));
      const sumOf = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);
      expect(x).toBeCloseTo(sumOf(ids.map((id) => weights[id] ?? NaN)) / sumOf(weights), 5);
    }
    expect(read.mass).toHaveLength(12);
  });

  it("never looks at later tokens", async () => {
    const session = await makeSession({ logits });
    const [before, after] = [
      await session.run(feeds),
      await session.run({ ...feeds, tokens: feeds.tokens.with(4, 7) }),
    ];
    await session.close();
    expect(after.logits.slice(0, 4 * 11)).toEqual(before.logits.slice(0, 4 * 11));
    expect(after.logits.slice(4 * 11, 5 * 11)).not.toEqual(before.logits.slice(4 * 11, 5 * 11));
  });

  it("has the gradient that finite differences of its loss give", async () => {
    const loss = neg(maskedMean(logProbs, input("mask", shape)));
    const masked = { ...feeds, mask: Float32Array.of(1, 1, 1, 0, 0, 0, 1, 1, 1, 1, 1, 1) };
    const session = await makeGradientSession({ loss, wrt, outputs: { logProbs } });
    const { loss: lossValue, gradients, outputs } = await session.run(masked);
    await session.close();
    expect(lossValue).toBeCloseTo(-meanOf(outputs.logProbs, masked.mask), 5);
    for (const [name, gradient] of Object.entries(gradients)) {
      const values = parameters[name] ?? new Float32Array();
      const i = gradient.findIndex((x) => Math.abs(x) > 1e-3);
      const lossAt = (x: number): number => {
        const moved = Float64Array.from(values).with(i, (values[i] ?? NaN) + x);
        return interpret([loss], { ...masked, [name]: moved })[0]?.[0] ?? NaN;
      };
      expect(gradient.length).toBe(values.length);
      expect(gradient[i]).toBeCloseTo((lossAt(1e-5) - lossAt(-1e-5)) / 2e-5, 4);
    }
  });

  it("learns to repeat what it saw", async () => {
    const loss = neg(maskedMean(logProbs, input("mask", shape)));
    const session = await makeGradientSession({ loss, wrt, outputs: {} });
    const masked = { ...feeds, mask: new Float32Array(12).fill(1) };
    let current = parameters;
    let lossValue = NaN;
    for (let step = 0; step < 120; step++) {
      const result = await session.run({ ...masked, ...current });
      lossValue = result.loss;
      const descend = ([name, values]: [string, Float32Array]): [string, Float32Array] => [
        name,
        values.map((x, i) => x - 0.5 * (result.gradients[name]?.[i] ?? NaN)),
      ];
      current = Object.fromEntries(Object.entries(current).map(descend));
    }
    await session.close();
    expect(lossValue).toBeLessThan(0.25);
  });
});

function meanOf(values: Float32Array, mask: Float32Array): number {
  const total = values.reduce((sum, x, i) => sum + x * (mask[i] ?? 0), 0);
  return total / mask.reduce((sum, x) => sum + x, 0);
}
