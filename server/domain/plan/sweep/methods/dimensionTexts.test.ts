import { describe, expect, it } from "vitest";
import { Advantage, Aggregation, Clipping, Sampling } from "#trainer/spec/dimensions.ts";
import { methodOf } from "#trainer/spec/method.ts";
import { couplings } from "./couplings.ts";
import { dimensionTexts } from "./dimensionTexts.ts";

describe("dimensionTexts", () => {
  it("explains every level of every dimension in one sentence", () => {
    const kinds = (union: { options: readonly { shape: { kind: { value: string } } }[] }) =>
      union.options.map(({ shape }) => shape.kind.value);
    expect(dimensionTexts.map(({ id, levels }) => [id, levels.map((level) => level.id)])).toEqual([
      ["aggregation", Aggregation.options],
      ["clipping", kinds(Clipping)],
      ["advantage", kinds(Advantage)],
      ["sampling", kinds(Sampling)],
    ]);
    for (const { levels } of dimensionTexts) {
      for (const { sentence } of levels) expect(sentence).toMatch(/^[A-Z].*\.$/);
    }
  });
});

describe("couplings", () => {
  it("shows that turn clipping fixes the aggregation", () => {
    expect(couplings({ ...methodOf("gspo"), aggregation: "tokenMean" })).toEqual([
      {
        dimension: "aggregation",
        severity: "fixed",
        text: "Turn clip fixes the aggregation to Turn mean; Token mean has no effect.",
      },
      {
        dimension: "aggregation",
        severity: "note",
        text: "The policy loss is aggregated by turn mean, but the KL and entropy terms by token mean. The setting penaltyAggregation changes the aggregation of KL and entropy.",
      },
    ]);
  });

  it("shows that the geometric mean fixes the aggregation too", () => {
    expect(couplings(methodOf("gmpo")).map(({ text }) => text)).toEqual([
      "Geometric mean fixes the aggregation to Turn mean.",
      expect.stringContaining("KL and entropy terms by token mean"),
    ]);
    expect(couplings({ ...methodOf("gmpo"), penaltyAggregation: "seqMeanTokenMean" })).toHaveLength(1);
  });

  it("shows where credit per token equals credit per turn", () => {
    const clipping = { kind: "sequence", low: 3e-3, high: 4e-3, credit: "token" } as const;
    const words = (advantage: Advantage) =>
      couplings({ ...methodOf("gspo"), clipping, advantage }).map(({ text }) => text);
    expect(words(methodOf("gspo").advantage)).toContainEqual(expect.stringContaining("equals credit per turn"));
    // REINFORCE++ accumulates returns over tokens, and a KL penalty in the reward makes them differ.
    expect(words(methodOf("reinforcePlusPlus").advantage)).not.toContainEqual(
      expect.stringContaining("credit per turn"),
    );
    expect(words(methodOf("ppo").advantage)).not.toContainEqual(expect.stringContaining("equals credit per turn"));
  });

  it("has nothing to say about GRPO", () => {
    expect(couplings(methodOf("grpo"))).toEqual([]);
  });
});
