import { describe, expect, it } from "vitest";
import { Advantage, Aggregation, Clipping, Sampling } from "#trainer/spec/dimensions.ts";
import { methodOf } from "#trainer/spec/method.ts";
import { couplings, describeDimensions } from "./dimensions.ts";

describe("describeDimensions", () => {
  it("explains every level of every dimension in one sentence", () => {
    const kinds = (union: { options: readonly { shape: { kind: { value: string } } }[] }) =>
      union.options.map(({ shape }) => shape.kind.value);
    expect(describeDimensions.map(({ id, levels }) => [id, levels.map((level) => level.id)])).toEqual([
      ["aggregation", Aggregation.options],
      ["clipping", kinds(Clipping)],
      ["advantage", kinds(Advantage)],
      ["sampling", kinds(Sampling)],
    ]);
    for (const { levels } of describeDimensions) {
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
        text: "Turn clip (GSPO) fixes the aggregation to Turn mean; Token mean has no effect.",
      },
    ]);
  });

  it("shows why PPO cannot run, and has nothing to say about GRPO", () => {
    expect(couplings(methodOf("ppo")).map(({ severity }) => severity)).toEqual(["notRunnable"]);
    expect(couplings(methodOf("grpo"))).toEqual([]);
  });
});
