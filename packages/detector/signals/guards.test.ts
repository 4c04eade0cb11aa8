import { expect, it } from "vitest";
import { describeMismatch, type MismatchRow } from "#trainer/objective/mismatch.ts";
import { shippedConfig } from "../config.ts";
import { advance, startStanding } from "../online.ts";
import { makeDetector } from "../detector.ts";
import { lookBack } from "../label/hindsight.ts";
import { frozenRules } from "../versions.ts";
import { brokenGuards } from "./guards.ts";

const [first, second] = frozenRules;
const warningsOf = (rows: readonly MismatchRow[]): string[] => brokenGuards(describeMismatch(rows), shippedConfig);
const old = [-0.5, -1, -2, -0.1];

it("a sampler that is another policy is warned of by what its run logs, in the terms of verl's health check", () => {
  expect(warningsOf([{ oldLogProbs: old, samplerLogProbs: old }])).toEqual([]);
  const near = old.map((x) => x - 0.01);
  expect(warningsOf([{ oldLogProbs: old, samplerLogProbs: near }])).toEqual([]);
  const far = [-0.5, -1, -5, -0.1];
  expect(warningsOf([{ oldLogProbs: old, samplerLogProbs: far }])).toEqual([
    "sampler and trainer disagree (KL)",
    "sampler and trainer disagree (χ²)",
    "mean ratio of trainer to sampler is off",
    "ratios of trainer to sampler spread widely",
  ]);
});

it("a sampler that is old on purpose is another policy, and is warned of at a larger mismatch alone", () => {
  const far = { "policy/samplerKl": 0.3, "policy/samplerChiSquared": 5, "policy/samplerEffectiveSampleFraction": 0.1 };
  expect(brokenGuards(far, shippedConfig)).toHaveLength(3);
  expect(brokenGuards({ ...far, "policy/staleness": 0 }, shippedConfig)).toHaveLength(3);
  expect(brokenGuards({ ...far, "policy/staleness": 16 }, shippedConfig)).toEqual([]);
  expect(brokenGuards({ "policy/samplerKl": 0.6, "policy/staleness": 16 }, shippedConfig)).toEqual([
    "sampler and trainer disagree (KL)",
  ]);
  const cut = { "rollout/truncatedFraction": 0.6, "policy/staleness": 16 };
  expect(brokenGuards(cut, shippedConfig)).toEqual(["most responses are cut off"]);
});

it("the second rules know of no staleness", () => {
  expect(second && brokenGuards({ "policy/samplerKl": 0.3, "policy/staleness": 16 }, second.config)).toHaveLength(1);
});

const effective = { training: 64, heldOut: 64 };
/** All metrics are healthy except the sampler's KL, which grows from iteration 30 on. */
const points = Array.from({ length: 50 }, (_, iteration) => ({
  iteration,
  values: { "rollout/successRate": 0.6, "update/gradientNorm": 1, "policy/samplerKl": iteration < 30 ? 0.01 : 0.3 },
}));

it("a run that is read line by line is warned of by guards too, not only one that is replayed", () => {
  const read = advance(startStanding(effective), points);
  expect(read?.standing.keys).toContain("policy/samplerKl");
  expect(read?.events).toMatchObject([
    { iteration: 30, kind: "guard", severity: "warning", message: "Warning: sampler and trainer disagree (KL)" },
  ]);
});

it("the first rules never heard them, and judge as they did", () => {
  const warningBy = (config: typeof shippedConfig) =>
    lookBack(points, { effective, hasDiverged: false, config }).judgements.find(
      ({ rule }) => rule === "warning or worse",
    );
  expect(warningBy(shippedConfig)?.falseAlarms).toBe(1);
  expect(first && warningBy(first.config)?.falseAlarms).toBe(0);
});

it("what guards alone read makes no step", () => {
  const detector = makeDetector(effective);
  const alone = { iteration: 0, values: { "policy/samplerKl": 5 } };
  expect(detector.next(detector.start(), alone)).toEqual({ state: detector.start(), events: [] });
});
