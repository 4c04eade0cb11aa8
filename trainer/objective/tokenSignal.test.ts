import { describe, expect, it } from "vitest";
import { Clipping } from "#trainer/spec/dimensions.ts";
import { split } from "#trainer/spec/rng.ts";
import { needsCurrentPolicy, tokenSignal, type SignalBatch } from "./tokenSignal.ts";

/**
 * A batch of one row with ten tokens and one row of padding. All ratios are 1, so nothing is clipped unless a test
 * moves a token.
 */
const numTokens = 10;
const tokens = Array.from({ length: numTokens }, (_, at) => at);
const batch: SignalBatch = {
  shape: [2, numTokens],
  mask: [...tokens.map(() => 1), ...tokens.map(() => 0)],
  // Log-probability and advantage both rise from token 0 to token 9, so the covariance is largest at both ends.
  logProbs: [...tokens.map((at) => at - 10), ...tokens.map(() => NaN)],
  oldLogProbs: [...tokens.map((at) => at - 10), ...tokens.map(() => NaN)],
  advantages: [...tokens, ...tokens.map(() => NaN)],
  entropies: [...tokens.map((at) => (at < 5 ? 1 : 3)), ...tokens.map(() => NaN)],
};
const signalOf = (clipping: Clipping, seed = 0, own = batch): number[] => [
  ...tokenSignal(clipping, own, split(seed, "test")),
];
/** Covariance term of the token with index `at`. */
const covariance = (at: number): number => (at - 4.5) ** 2;

it("AEPO's signal is the token entropy less its mean, over its unbiased standard deviation", () => {
  const z = 1 / Math.sqrt(10 / 9);
  const signal = signalOf(Clipping.parse({ kind: "aepo", low: 0.2, high: 0.2 }));
  expect(signal.slice(0, numTokens)).toEqual(tokens.map((at) => expect.closeTo(at < 5 ? -z : z, 6)));
  expect(signal.slice(numTokens)).toEqual(tokens.map(() => 0));
});

describe("Clip-Cov drops", () => {
  const clipping = { kind: "clipCov", low: 0.2, high: 0.2, share: 0.2, covarianceLow: 1, covarianceHigh: 10 } as const;
  const dropped = (seed: number, own = batch, share = 0.2): number[] =>
    tokens.filter((at) => signalOf({ ...clipping, share }, seed, own)[at] === 0);

  it("its share of tokens, at random among those with a covariance in the range", () => {
    const seen = new Set<number>();
    for (let seed = 0; seed < 100; seed++) {
      const own = dropped(seed);
      expect(own, `seed ${seed}`).toHaveLength(2);
      for (const at of own) seen.add(at);
    }
    const inRange = tokens.filter((at) => covariance(at) > 1 && covariance(at) < 10);
    expect([...seen].sort((a, b) => a - b)).toEqual(inRange);
  });

  it("the same tokens for the same seed", () => expect(dropped(7)).toEqual(dropped(7)));

  it("one token at least", () => expect(dropped(0, batch, 1e-6)).toHaveLength(1));

  it("no token that is clipped anyway", () => {
    // Every ratio is e and thus above the range, and the advantages are positive, so these tokens are clipped. The
    // first token's advantage is 0, and its covariance is out of range.
    const moved = { ...batch, oldLogProbs: tokens.map((at) => at - 11) };
    expect(dropped(0, moved)).toEqual([]);
  });
});

describe("KL-Cov charges", () => {
  const charged = (share: number): number[] => {
    const signal = signalOf({ kind: "klCov", share, weight: 1 });
    return tokens.filter((at) => signal[at] === 1);
  };

  it("the tokens of the largest covariance, equal ones in order", () => {
    expect(charged(0.2)).toEqual([0, 9]);
    expect(charged(0.3)).toEqual([0, 1, 9]);
  });

  it("one token at least", () => expect(charged(0)).toEqual([0]));
});

it("other kinds read nothing, and only masks, covariances and entropies need the current policy first", () => {
  const token = { kind: "token", low: 0.2, high: 0.2, dual: 3, sequenceMask: null } as const;
  expect(signalOf(token)).toEqual(Array(2 * numTokens).fill(0));
  expect(needsCurrentPolicy(token)).toBe(false);
  expect(needsCurrentPolicy({ ...token, sequenceMask: { delta: 0.1 } })).toBe(true);
  expect(needsCurrentPolicy(Clipping.parse({ kind: "aepo", low: 0.2, high: 0.2 }))).toBe(true);
  expect(needsCurrentPolicy({ kind: "klCov", share: 0.1, weight: 1 })).toBe(true);
});

it("a minibatch without response tokens has a finite signal", () => {
  const silent = { ...batch, mask: Array.from(batch.mask, () => 0) };
  for (const clipping of [
    Clipping.parse({ kind: "aepo", low: 0.2, high: 0.2 }),
    Clipping.parse({ kind: "clipCov", low: 0.2, high: 0.2 }),
    Clipping.parse({ kind: "klCov" }),
  ]) {
    expect(signalOf(clipping, 0, silent).every(Number.isFinite)).toBe(true);
  }
});
