import { isMethodName, methodOf, methods } from "#trainer/spec/method.ts";
import { describe, expect, it } from "vitest";
import { describeDesign } from "./aliases.ts";
import { interaction, levelInteraction, main, type Levels } from "./design.ts";
import { dimensionFactors, factorLevels } from "#server/domain/plan/sweep/methods/factorLevels.ts";
import { rankNextCells } from "./nextCells.ts";

/** Levels of the twelve published configurations. */
const names = [
  "grpo",
  "grpoSt",
  "sapo",
  "sapoSm",
  "cispo",
  "cispoSm",
  "gspo",
  "gigpo",
  "empg",
  "dapoGrpo",
  "dapoGigpo",
  "sampo",
].filter(isMethodName);
const cells: Levels[] = names.map((name) => factorLevels(methodOf(name)));
const mains = dimensionFactors.map(main);
const gigpoDynamic = levelInteraction({ advantage: "gigpo", sampling: "dynamic" });
const sequenceGigpo = levelInteraction({ clipping: "sequence", advantage: "gigpo" });
const sequenceDynamic = levelInteraction({ clipping: "sequence", sampling: "dynamic" });

describe("what the twelve published configurations identify", () => {
  it("all ten parameters of the main effects, with two degrees left", () => {
    expect(names).toHaveLength(12);
    expect(describeDesign(cells, mains)).toMatchObject({
      numCells: 12,
      numParameters: 10,
      rank: 10,
      degreesLeft: 2,
      aliases: [],
    });
  });

  it("advantage × sampling from four of them, and then one more interaction saturates the design", () => {
    expect(describeDesign(cells, [...mains, gigpoDynamic])).toMatchObject({ rank: 11, degreesLeft: 1, aliases: [] });
    const saturated = describeDesign(cells, [...mains, gigpoDynamic, sequenceGigpo]);
    expect(saturated).toMatchObject({ numParameters: 12, rank: 12, degreesLeft: 0, aliases: [] });
  });

  it("not why SAMPO is more than its parts: 13 parameters, rank 12", () => {
    const report = describeDesign(cells, [...mains, gigpoDynamic, sequenceGigpo, sequenceDynamic]);
    expect(report).toMatchObject({ numParameters: 13, rank: 12 });
    expect(report.aliases.map(({ sentence }) => sentence)).toEqual([
      "Turn clip × Dynamic cannot be separated from Turn clip × Group in group",
    ]);
  });

  it("without GRPO_ST not what aggregation does: GSPO fixes it, so the two are one (rank 9 of 10)", () => {
    const without = cells.filter((_, i) => names[i] !== "grpoSt");
    const report = describeDesign(without, mains);
    expect(report).toMatchObject({ numParameters: 10, rank: 9, numCells: 11 });
    expect(report.aliases).toMatchObject([{ effect: "clipping=sequence", madeOf: ["aggregation=seqMeanTokenMean"] }]);
    expect(report.terms).toEqual([
      { term: "aggregation", degrees: 1, separableDegrees: 0 },
      { term: "clipping", degrees: 5, separableDegrees: 4 },
      { term: "advantage", degrees: 2, separableDegrees: 2 },
      { term: "sampling", degrees: 1, separableDegrees: 1 },
    ]);
  });

  it("names GRPO_ST as the cell to run next then", () => {
    const without = cells.filter((_, i) => names[i] !== "grpoSt");
    const candidates = [factorLevels(methodOf("grpoSt")), { ...factorLevels(methodOf("sapo")), advantage: "gigpo" }];
    const [first, second] = rankNextCells(without, candidates, { terms: mains });
    expect(first).toMatchObject({
      levels: { aggregation: "seqMeanTokenMean", clipping: "token" },
      resolves: ["Turn clip cannot be separated from Turn mean"],
    });
    expect(second?.resolves).toEqual([]);
    expect(second?.narrows).toMatchObject({ factor: "clipping", level: "sapo" });
    expect(second?.narrows?.widthShare).toBeLessThan(0.95);
  });

  it("takes effective levels: asking GSPO for token means changes nothing, a sequence mask does", () => {
    expect(factorLevels({ ...methodOf("gspo"), aggregation: "tokenMean" })).toEqual(factorLevels(methodOf("gspo")));
    expect(factorLevels(methods.sapoSm)).toMatchObject({ clipping: "sapo+mask", advantage: "group", sampling: "all" });
  });
});

describe("designs of two levels", () => {
  const factors = ["A", "B", "C", "D"];
  const full = Array.from({ length: 16 }, (_, bits): Levels =>
    Object.fromEntries(factors.map((factor, i) => [factor, bits & (8 >> i) ? "high" : "low"])),
  );
  const numHigh = (cell: Levels, of: readonly string[]) => of.filter((factor) => cell[factor] === "high").length;
  // In this half design D = ABC: the sign of D is the product of the signs of A, B and C.
  const half = full.filter((cell) => numHigh(cell, ["A", "B", "C"]) % 2 === numHigh(cell, ["D"]));
  const pairs = [
    ["A", "B"],
    ["A", "C"],
    ["A", "D"],
    ["B", "C"],
    ["B", "D"],
    ["C", "D"],
  ].map((pair) => interaction(...pair));

  it("full: everything is its own", () => {
    const report = describeDesign(full, [...factors.map(main), ...pairs]);
    expect(report).toMatchObject({ rank: 11, degreesLeft: 5, aliases: [] });
  });

  it("half with D = ABC: AB is CD, AC is BD, AD is BC", () => {
    expect(half).toHaveLength(8);
    const { rank, aliases } = describeDesign(half, [...factors.map(main), ...pairs]);
    expect(rank).toBe(8);
    expect(
      aliases.map(({ effect, madeOf }) => [effect, ...madeOf].map((label) => label.replaceAll(/=\w+|[ ×]/g, ""))),
    ).toEqual([
      ["BC", "AD"],
      ["BD", "AC"],
      ["CD", "AB"],
    ]);
  });

  it("names what was never varied", () => {
    const { aliases } = describeDesign(
      full.filter(({ A }) => A === "low"),
      [main("A"), main("B"), levelInteraction({ A: "high", B: "high" })],
    );
    expect(aliases.map(({ sentence }) => sentence)).toEqual(["A=high × B=high never varies in these cells"]);
  });
});
