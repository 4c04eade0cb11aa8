import { expect, it } from "vitest";
import { describeMismatch, type MismatchRow } from "#trainer/objective/mismatch.ts";
import { shippedConfig } from "../config.ts";
import { brokenGuards } from "./guards.ts";

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
