import { describe, expect, it } from "vitest";
import { interpret } from "#trainer/graph/testing/interpret.ts";
import { constant } from "#trainer/graph/ops.ts";
import type { Clipping } from "#trainer/spec/dimensions.ts";
import { methodNames, methodOf, methods, type Method } from "#trainer/spec/method.ts";
import { policyLoss } from "./clipping.ts";
import { k3 } from "./kl.ts";
import { perToken } from "./testing/perToken.ts";
import { evaluateLoss, type LossBatch, type LossValues } from "./testing/evaluateLoss.ts";

const noPenalty = { klCoef: 0, entropyCoef: 0 };
const grpoWith = (clipping: Clipping): Method => ({ ...methodOf("grpo"), clipping });

/** A batch of one token with the given ratio and advantage. */
const token = (ratio: number, advantage: number): LossBatch => ({
  shape: [1, 1],
  logProbs: [Math.log(ratio)],
  oldLogProbs: [0],
  advantages: [advantage],
  mask: [1],
});

/** Three rows of up to three tokens; the last row has no response. Padding has absurd values on purpose. */
const ragged: LossBatch = {
  shape: [3, 3],
  logProbs: [-1, -2, -0.5, -1.5, 9e9, -Infinity, NaN, -9e9, 0],
  oldLogProbs: [-1.2, -1.9, -0.5, -1.1, NaN, 0, 9e9, 0, -9e9],
  referenceLogProbs: [-1.1, -2.5, -0.4, -1, NaN, Infinity, 0, 0, 9e9],
  entropy: [1, 2, 3, 4, NaN, Infinity, 0, 0, 9e9],
  advantages: perToken([1.5, -1, 2], [3, 3]),
  mask: [1, 1, 1, 1, 0, 0, 0, 0, 0],
};

async function bothEngines(method: Method, batch: LossBatch, coefs = noPenalty): Promise<LossValues[]> {
  const { compiled, interpreted } = await evaluateLoss(method, batch, coefs);
  return [compiled, interpreted];
}

describe("every named method", () => {
  it.each(methodNames)("%s has a finite loss and gradient, 0 on padding", async (name) => {
    for (const values of await bothEngines(methodOf(name), ragged, { klCoef: 0.1, entropyCoef: 0.01 })) {
      const { total, policy, kl, entropy, gradient } = values;
      expect([total, policy, kl, entropy, ...gradient].every(Number.isFinite)).toBe(true);
      expect(total).toBeCloseTo(policy + kl - entropy, 5);
      expect(kl).toBeGreaterThan(0);
      expect(gradient.slice(0, 4).some((x) => x !== 0)).toBe(true);
      expect(gradient.slice(4).map(Math.abs)).toEqual([0, 0, 0, 0, 0]);
    }
  });

  it.each(methodNames)("%s has loss 0 and no NaN when every row is masked", async (name) => {
    const masked = { ...ragged, mask: Array.from(ragged.mask, () => 0) };
    for (const { total, gradient } of await bothEngines(methodOf(name), masked, { klCoef: 0.1, entropyCoef: 0.01 })) {
      expect([total, ...gradient].map(Math.abs)).toEqual(Array(10).fill(0));
    }
  });
});

describe("token clip", () => {
  const { clipping } = methods.grpo;
  it.each([
    { what: "inside the range", ratio: 1.1, advantage: 2, loss: -2.2, gradient: -2.2 },
    { what: "above, A > 0: clipped", ratio: 1.5, advantage: 2, loss: -2.4, gradient: 0 },
    { what: "above, A < 0: kept", ratio: 1.5, advantage: -2, loss: 3, gradient: 3 },
    { what: "below, A < 0: clipped", ratio: 0.5, advantage: -2, loss: 1.6, gradient: 0 },
    { what: "below, A > 0: kept", ratio: 0.5, advantage: 2, loss: -1, gradient: -1 },
    { what: "dual clip at w > 3, A < 0", ratio: 4, advantage: -2, loss: 6, gradient: 0 },
    { what: "A = 0", ratio: 1.5, advantage: 0, loss: 0, gradient: 0 },
  ])("$what", async ({ ratio, advantage, loss, gradient }) => {
    for (const values of await bothEngines(grpoWith(clipping), token(ratio, advantage))) {
      expect(values.total).toBeCloseTo(loss, 5);
      expect(values.gradient[0]).toBeCloseTo(gradient, 5);
    }
  });

  it("without dual clip nothing bounds a negative advantage", async () => {
    for (const values of await bothEngines(grpoWith({ ...clipping, dual: null }), token(4, -2))) {
      expect(values.total).toBeCloseTo(8, 4);
      expect(values.gradient[0]).toBeCloseTo(8, 4);
    }
  });

  it("a ratio exactly on a bound keeps all of its gradient", async () => {
    for (const bound of [{ high: 0 }, { low: 0 }]) {
      for (const { gradient } of await bothEngines(grpoWith({ ...clipping, ...bound }), token(1, 1))) {
        expect(gradient).toEqual([-1]);
      }
    }
  });
});

describe("log-ratios beyond ±20", () => {
  const far = (logRatio: number, advantage: number): LossBatch => ({ ...token(1, advantage), logProbs: [logRatio] });
  const unbounded = grpoWith({ kind: "token", low: 0.2, high: 0.2, dual: null, sequenceMask: null });

  it("are held at 20, without gradient", async () => {
    for (const { total, gradient } of await bothEngines(unbounded, far(200, -1))) {
      expect(total / Math.exp(20)).toBeCloseTo(1, 5);
      expect(Math.abs(gradient[0] ?? NaN)).toBe(0);
    }
  });

  it.each(["sapo", "cispo", "gspo"] as const)("leave %s finite on both sides", async (name) => {
    for (const logRatio of [200, -200]) {
      for (const { total, gradient } of await bothEngines(methodOf(name), far(logRatio, -1))) {
        expect([total, ...gradient].every(Number.isFinite)).toBe(true);
      }
    }
  });
});

describe("SAPO", () => {
  const sapo: Clipping = { kind: "sapo", tauPositive: 1, tauNegative: 2, sequenceMask: null };
  /** Loss of one token at w = 1, which reveals the temperature: ℓ = −(4/τ)·½·A. */
  const lossOf = async (advantage: number): Promise<number[]> =>
    (await bothEngines(grpoWith(sapo), token(1, advantage))).map(({ total }) => total);

  it("takes its temperature from the sign of the advantage", async () => {
    for (const loss of await lossOf(1)) expect(loss).toBeCloseTo(-2, 6);
    for (const loss of await lossOf(-1)) expect(loss).toBeCloseTo(1, 6);
  });

  it("counts advantage 0 as negative", () => {
    // The row's mean advantage is 0 but its tokens' advantages are not, so the loss shows which temperature was used.
    const nodes = {
      logProbs: constant([0, 0], [1, 2]),
      oldLogProbs: constant([0, 0], [1, 2]),
      mask: constant([1, 1], [1, 2]),
      signal: constant([0, 0], [1, 2]),
      advantages: constant([1, -1], [1, 2]),
    };
    expect([...(interpret([policyLoss(sapo, nodes)])[0] ?? [])]).toEqual([-1, 1]);
  });

  it("has the gradient of plain policy gradient at ratio 1", async () => {
    for (const { gradient } of await bothEngines(grpoWith(sapo), token(1, -3))) expect(gradient[0]).toBeCloseTo(3, 5);
  });
});

describe("penalties", () => {
  it("use the weights of all rows, also of those that sequence masking drops", async () => {
    const batch = { ...ragged, advantages: perToken([-1, -1, 0], [3, 3]), oldLogProbs: [0, 0, 0, 0, 0, 0, 0, 0, 0] };
    const coefs = { klCoef: 0.5, entropyCoef: 0.25 };
    const { compiled, kept } = await evaluateLoss(methodOf("grpoSm"), batch, coefs);
    const kl = [0, 1, 2, 3].reduce(
      (total, at) => total + k3(batch.logProbs[at] ?? NaN, batch.referenceLogProbs?.[at] ?? NaN),
      0,
    );
    expect(kept).toEqual([false, false, true]);
    expect(Math.abs(compiled.policy)).toBe(0);
    expect(compiled.kl).toBeCloseTo((0.5 * kl) / 4, 5);
    expect(compiled.entropy).toBeCloseTo((0.25 * (1 + 2 + 3 + 4)) / 4, 5);
  });

  it("with coefficient 0 are 0 and read nothing", async () => {
    const poisoned = { ...ragged, referenceLogProbs: Array(9).fill(NaN), entropy: Array(9).fill(NaN) };
    for (const { total, policy, kl, entropy } of await bothEngines(methodOf("grpo"), poisoned)) {
      expect(total).toBe(policy);
      expect([kl, entropy]).toEqual([0, 0]);
    }
  });
});

it("lets a NaN of a response token through to the loss", async () => {
  for (const name of ["grpo", "gspo", "sapo", "cispo"] as const) {
    for (const { total } of await bothEngines(methodOf(name), { ...token(1, 1), logProbs: [NaN] })) {
      expect(total).toBeNaN();
    }
  }
});
