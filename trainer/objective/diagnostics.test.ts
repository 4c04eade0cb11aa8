import { describe, expect, it } from "vitest";
import { methods } from "#trainer/spec/method.ts";
import { clipEvents, clipRule } from "./clipping.ts";
import { emptyTally, mergeTallies, summarise, tallyPolicy, type DiagnosticsBatch } from "./diagnostics.ts";
import { k3 } from "./kl.ts";
import { perToken } from "./testing/perToken.ts";

const batch: DiagnosticsBatch = {
  shape: [3, 2],
  logProbs: [Math.log(1.5), 0, Math.log(0.5), 0, Math.log(4), -7],
  oldLogProbs: [0, 0, 0, 0, 0, NaN],
  referenceLogProbs: [0, 0, 0, 0.5, 0, NaN],
  advantages: perToken([1, -1, -1], [3, 2]),
  mask: [1, 1, 1, 1, 1, 0],
};

describe("over a minibatch worked by hand", () => {
  const summary = summarise(tallyPolicy(methods.grpo.clipping, batch));

  it("counts what the loss bounds, and each side by the ratio alone", () => {
    // The token ratios are 1.5 and 1 (A > 0), 0.5 and 1 (A < 0), and 4 (A < 0).
    expect(summary["policy/clipFraction"]).toBe(2 / 5);
    expect(summary["policy/clipFractionHigh"]).toBe(2 / 5);
    expect(summary["policy/clipFractionLow"]).toBe(1 / 5);
    expect(summary["policy/clipFractionDual"]).toBe(1 / 5);
  });

  it("averages ratios and KL estimates over response tokens", () => {
    expect(summary["policy/ratioMin"]).toBeCloseTo(0.5, 12);
    expect(summary["policy/ratioMean"]).toBeCloseTo((1.5 + 1 + 0.5 + 1 + 4) / 5, 12);
    expect(summary["policy/ratioMax"]).toBeCloseTo(4, 12);
    expect(summary["policy/klOld"]).toBeCloseTo(-Math.log(1.5 * 0.5 * 4) / 5, 12);
    const kl = k3(Math.log(1.5), 0) + k3(0, 0) + k3(Math.log(0.5), 0) + k3(0, 0.5) + k3(Math.log(4), 0);
    expect(summary["policy/klReference"]).toBeCloseTo(kl / 5, 12);
  });

  it("leaves dropped rows out of clipping and old-new KL, but not out of the ratios", () => {
    const masked = summarise(tallyPolicy(methods.grpoSm.clipping, { ...batch, kept: [true, true, false] }));
    expect(masked["policy/clipFraction"]).toBe(2 / 4);
    expect(masked["policy/klOld"]).toBeCloseTo(-Math.log(1.5 * 0.5) / 4, 12);
    expect(masked["policy/ratioMax"]).toBeCloseTo(4, 12);
    expect(masked["policy/maskedRowFraction"]).toBe(1 / 3);
  });
});

describe("clip events of one ratio and advantage", () => {
  it.each([
    ["token", methods.grpo.clipping, 1.21, 1, "clipped above"],
    ["token", methods.grpo.clipping, 1.21, -1, "above"],
    ["token", methods.grpo.clipping, 0.79, -1, "clipped below"],
    ["token", methods.grpo.clipping, 3.01, -1, "above dual"],
    ["token", methods.grpo.clipping, 1.5, 0, "above"],
    ["sequence", methods.gspo.clipping, 1.0041, 1, "clipped above"],
    ["sequence", methods.gspo.clipping, 1.0039, 1, ""],
    ["sapo", methods.sapo.clipping, 1.21, 1, "clipped above"],
    ["cispo", methods.cispo.clipping, 1.21, -1, "clipped above"],
    ["cispo", methods.cispo.clipping, 0.01, -1, ""],
  ] as const)("%s", (_, clipping, ratio, advantage, expected) => {
    const { isClipped, isAbove, isBelow, isDual } = clipEvents(clipRule(clipping), ratio, advantage);
    const words = [isClipped && "clipped", isAbove && "above", isBelow && "below", isDual && "dual"];
    expect(words.filter(Boolean).join(" ")).toBe(expected);
  });
});

it("GSPO clips a row as a whole", () => {
  const clipping = { kind: "sequence", low: 0.1, high: 0.1, credit: "row" } as const;
  // The row ratios are √1.5 (A > 0), √0.5 (A < 0) and 4 (A < 0).
  const summary = summarise(tallyPolicy(clipping, batch));
  expect(summary["policy/clipFraction"]).toBe(4 / 5);
  expect(summary["policy/ratioMax"]).toBeCloseTo(4, 12);
});

it("joins minibatches of different sizes exactly", () => {
  const rowsOf = (from: number, to: number): DiagnosticsBatch => ({
    ...batch,
    shape: [to - from, 2],
    logProbs: Array.from(batch.logProbs).slice(2 * from, 2 * to),
    oldLogProbs: Array.from(batch.oldLogProbs).slice(2 * from, 2 * to),
    referenceLogProbs: Array.from(batch.referenceLogProbs ?? []).slice(2 * from, 2 * to),
    advantages: Array.from(batch.advantages).slice(2 * from, 2 * to),
    mask: Array.from(batch.mask).slice(2 * from, 2 * to),
  });
  const parts = [rowsOf(0, 1), rowsOf(1, 3)].map((part) => tallyPolicy(methods.grpo.clipping, part));
  const whole = tallyPolicy(methods.grpo.clipping, batch);
  expect(summarise(parts.reduce(mergeTallies, emptyTally))).toEqual(
    Object.fromEntries(Object.entries(summarise(whole)).map(([key, x]) => [key, expect.closeTo(x, 12)])),
  );
});

it("shows what is not finite, and says nothing about what it did not see", () => {
  const broken = summarise(tallyPolicy(methods.grpo.clipping, { ...batch, logProbs: [NaN, 0, 0, 0, 0, 0] }));
  expect(broken["policy/klOld"]).toBeNaN();
  expect(broken["policy/klReference"]).toBeNaN();
  for (const key of ["policy/ratioMin", "policy/ratioMean", "policy/ratioMax"] as const) expect(broken[key]).toBeNaN();
  expect(summarise(emptyTally)).toEqual({});
  const { referenceLogProbs: _, ...withoutReference } = batch;
  expect(summarise(tallyPolicy(methods.grpo.clipping, withoutReference))).not.toHaveProperty("policy/klReference");
});

describe("strata and turns", () => {
  const context = { entropies: [2, 0.1, 2, 0.1, 0.1, 0], entropyThreshold: 1, turns: [0, 0, 9, 9, 9, 9] };
  const summary = summarise(tallyPolicy(methods.grpo.clipping, { ...batch, context }));

  it("shares of tokens, of those out of range and of the KL add up to 1", () => {
    // Row 0 has A > 0, ratio 1.5 with high entropy and 1 with low. Row 1 has A < 0, ratio 0.5 with high entropy and 1
    // with low. Row 2 has A < 0, ratio 4 with low entropy.
    expect(summary).toMatchObject({
      "strataTokens/positiveAboveHigh": 1 / 5,
      "strataTokens/positiveAboveLow": 1 / 5,
      "strataTokens/negativeBelowHigh": 1 / 5,
      "strataTokens/negativeAboveLow": 2 / 5,
      "strataTokens/negativeAboveHigh": 0,
      "strataOutOfRange/positiveAboveHigh": 1 / 3,
      "strataOutOfRange/negativeBelowHigh": 1 / 3,
      "strataOutOfRange/negativeAboveLow": 1 / 3,
    });
    const shares = Object.entries(summary).filter(([key]) => key.startsWith("strataKl/"));
    expect(shares).toHaveLength(8);
    expect(shares.reduce((total, [, x]) => total + x, 0)).toBeCloseTo(1, 12);
  });

  it("turns have a mean of their own, and bins without tokens none", () => {
    expect(summary["turnEntropy/1"]).toBeCloseTo(1.05, 12);
    expect(summary["turnEntropy/9-12"]).toBeCloseTo((2 + 0.1 + 0.1) / 3, 12);
    expect(summary).not.toHaveProperty("turnEntropy/2");
    const kl = [k3(Math.log(1.5), 0), k3(0, 0)];
    expect(summary["turnKl/1"]).toBeCloseTo(((kl[0] ?? NaN) + (kl[1] ?? NaN)) / 2, 12);
  });

  it("a token without advantage is in no stratum", () => {
    const silent = { ...batch, advantages: [0, 0, 0, 0, 0, 0], context };
    expect(Object.keys(summarise(tallyPolicy(methods.grpo.clipping, silent)))).not.toContain(
      "strataTokens/positiveAboveHigh",
    );
  });
});

it("the effective sample share is 1 on policy and falls with the spread of ratios", () => {
  const same = { ...batch, logProbs: [0, 0, 0, 0, 0, 0] };
  expect(summarise(tallyPolicy(methods.grpo.clipping, same))["policy/effectiveSampleFraction"]).toBe(1);
  const ratios = [1.5, 1, 0.5, 1, 4];
  const [total, squares] = [8, ratios.reduce((sum, x) => sum + x * x, 0)];
  expect(summarise(tallyPolicy(methods.grpo.clipping, batch))["policy/effectiveSampleFraction"]).toBeCloseTo(
    total ** 2 / (5 * squares),
    12,
  );
});
