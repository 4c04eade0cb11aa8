import { describe, expect, it } from "vitest";
import { standardiseRuns } from "../claims/studiedRun.ts";
import { cellOf, studiedRun } from "../claims/testing/studiedRuns.ts";
import { analyseVariance } from "./report.ts";
import { interaction, main, type Levels, type Observation } from "./design.ts";
import { estimateAll, leastSquaresMeans, type Estimate } from "./effects.ts";
import { averageOver, fitDesign, type Fit } from "./fit.ts";
import { permutationAnova } from "./permutationAnova.ts";
import { varianceShares } from "./shares.ts";
import { designs } from "./testing/fixtures.ts";

const valueOf = (estimate: Estimate) => (estimate.kind === "estimate" ? estimate.value : NaN);

/** Estimates the mean outcome at the levels `of` minus that at `against`, averaged over factors that neither names. */
function contrast(fit: Fit, [of, against]: readonly [of: Levels, against: Levels], numResamples = 10_000): Estimate {
  const [a, b] = [averageOver(fit.design, of), averageOver(fit.design, against)];
  return estimateOne(
    fit,
    a.map((x, j) => x - (b[j] ?? 0)),
    numResamples,
  );
}

/**
 * Estimates a difference of differences: the first factor's effect at the second factor's high level minus its effect
 * at the low level. In two-level designs the interaction effect is half of it.
 */
function interactionContrast(fit: Fit, levels: Readonly<Record<string, readonly [low: string, high: string]>>) {
  const corners = Object.entries(levels).reduce<{ cell: Levels; sign: number }[]>(
    (corners, [factor, [low, high]]) =>
      corners.flatMap(({ cell, sign }) => [
        { cell: { ...cell, [factor]: high }, sign },
        { cell: { ...cell, [factor]: low }, sign: -sign },
      ]),
    [{ cell: {}, sign: 1 }],
  );
  const averages = corners.map(({ cell, sign }) => averageOver(fit.design, cell).map((x) => sign * x));
  return estimateOne(
    fit,
    fit.design.columns.map((_, j) => averages.reduce((sum, row) => sum + (row[j] ?? 0), 0)),
  );
}

function estimateOne(fit: Fit, coefficients: readonly number[], numResamples = 10_000): Estimate {
  return estimateAll(fit, [coefficients], { numResamples })[0] ?? { kind: "notEstimable" };
}

/** The reference model is μ = 60 + 12A + 5B + 1.5C − D + 3AB with A, B, C, D = ±1. */
const factors = ["A", "B", "C", "D"];
const sign = (level: string | undefined) => (level === "high" ? 1 : -1);
const truth = ({ A, B, C, D }: Levels) =>
  60 + 12 * sign(A) + 5 * sign(B) + 1.5 * sign(C) - sign(D) + 3 * sign(A) * sign(B);
const cells = Array.from({ length: 16 }, (_, bits): Levels =>
  Object.fromEntries(factors.map((factor, i) => [factor, bits & (8 >> i) ? "high" : "low"])),
);
const once: Observation[] = cells.map((levels) => ({ levels, value: truth(levels) }));
/** Each cell has three seeds, whose values are 2 apart, so the within-cell variance is 4. */
const seeded = cells.flatMap((levels) =>
  [-2, 0, 2].map((noise): Observation => ({ levels, value: truth(levels) + noise })),
);
const terms = [...factors.map(main), interaction("A", "B")];

describe("the two-level reference", () => {
  const effect = (observations: readonly Observation[], factor: string) =>
    contrast(fitDesign(observations, terms), [{ [factor]: "high" }, { [factor]: "low" }]);

  it("effects: A 24, B 10, C 3, D −2, AB 6", () => {
    expect(factors.map((factor) => valueOf(effect(once, factor)))).toEqual(
      [24, 10, 3, -2].map((x) => expect.closeTo(x, 10)),
    );
    const both = interactionContrast(fitDesign(once, terms), { A: ["low", "high"], B: ["low", "high"] });
    expect(valueOf(both) / 2).toBeCloseTo(6, 10);
  });

  it("sums of squares 2304, 400, 36, 16, 144 and their shares", () => {
    const { rows } = analyseVariance(once, terms);
    expect(rows.map(({ squares }) => squares)).toEqual([2304, 400, 36, 16, 144].map((x) => expect.closeTo(x, 8)));
    const shares = [0.794483, 0.137931, 0.012414, 0.005517, 0.049655].map((x) => expect.closeTo(x, 6));
    expect(rows.map(({ etaSquared }) => etaSquared)).toEqual(shares);
    const { terms: own, notModelled, hasSeedNoise } = varianceShares(once, terms);
    expect(own.map(({ share }) => share)).toEqual(shares);
    expect([notModelled, hasSeedNoise]).toEqual([expect.closeTo(0, 10), false]);
  });

  it("standard error of every effect with three seeds a cell: 2√(MSE/48)", () => {
    for (const factor of factors) {
      const estimate = effect(seeded, factor);
      if (estimate.kind !== "estimate") throw new Error("estimable");
      expect(estimate.standardError).toBeCloseTo(2 * Math.sqrt(4 / 48), 10);
      expect(estimate.method).toBe("t");
    }
  });

  it("a half with D = ABC has the same main effects, but its AB is CD", () => {
    const half = once.filter(({ levels: { A, B, C, D } }) => sign(A) * sign(B) * sign(C) === sign(D));
    const mains = fitDesign(half, factors.map(main));
    const effects = factors.map((factor) => valueOf(contrast(mains, [{ [factor]: "high" }, { [factor]: "low" }])));
    expect(effects).toEqual([24, 10, 3, -2].map((x) => expect.closeTo(x, 10)));
    const pair = (a: string, b: string) => {
      const fit = fitDesign(half, [...factors.map(main), interaction(a, b)]);
      return valueOf(interactionContrast(fit, { [a]: ["low", "high"], [b]: ["low", "high"] })) / 2;
    };
    expect([pair("A", "B"), pair("C", "D")]).toEqual([expect.closeTo(6, 10), expect.closeTo(6, 10)]);
    const both = fitDesign(half, [...factors.map(main), interaction("A", "B"), interaction("C", "D")]);
    expect(interactionContrast(both, { A: ["low", "high"], B: ["low", "high"] })).toEqual({ kind: "notEstimable" });
    // The main effects do not change.
    expect(valueOf(contrast(both, [{ A: "high" }, { A: "low" }]))).toBeCloseTo(24, 10);
  });
});

describe("least-squares means", () => {
  const cell = (A: string, B: string, n: number, value: number): Observation[] =>
    Array.from({ length: n }, () => ({ levels: { A, B }, value }));
  const unequal = [
    ...cell("0", "0", 3, 50),
    ...cell("0", "1", 1, 60),
    ...cell("1", "0", 1, 70),
    ...cell("1", "1", 3, 80),
  ];

  it.each([
    ["additive", [main("A"), main("B")]],
    ["saturated", [main("A"), main("B"), interaction("A", "B")]],
  ])("weigh cells equally (%s): 55 and 75 where raw means are 52.5 and 77.5", (_, terms) => {
    const raw = ["0", "1"].map((level) => {
      const values = unequal.filter(({ levels }) => levels["A"] === level).map(({ value }) => value);
      return values.reduce((sum, x) => sum + x, 0) / values.length;
    });
    expect(raw).toEqual([52.5, 77.5]);
    const fit = fitDesign(unequal, terms);
    expect(leastSquaresMeans(fit, "A").map(({ estimate }) => valueOf(estimate))).toEqual([
      expect.closeTo(55, 10),
      expect.closeTo(75, 10),
    ]);
    expect(valueOf(contrast(fit, [{ A: "1" }, { A: "0" }]))).toBeCloseTo(20, 10);
  });

  it("are not filled in where a cell is missing that the model needs", () => {
    const fit = fitDesign(
      unequal.filter(({ levels }) => levels["A"] === "0" || levels["B"] === "0"),
      [main("A"), main("B"), interaction("A", "B")],
    );
    expect(leastSquaresMeans(fit, "A").map(({ estimate }) => estimate.kind)).toEqual(["estimate", "notEstimable"]);
    expect(
      contrast(fit, [
        { A: "1", B: "0" },
        { A: "0", B: "0" },
      ]),
    ).toMatchObject({ kind: "estimate" });
  });

  it("take bootstrap intervals from five seeds a cell on", () => {
    const many = cells.flatMap((levels) =>
      [-2, -1, 0, 1, 2].map((noise): Observation => ({ levels, value: truth(levels) + noise })),
    );
    const estimate = contrast(fitDesign(many, terms), [{ A: "high" }, { A: "low" }], 2000);
    if (estimate.kind !== "estimate") throw new Error("estimable");
    expect(estimate.method).toBe("bootstrap");
    // The resampled means have variance 2 over 80 runs, each with weight 2/80.
    expect(estimate.interval.high - estimate.interval.low).toBeCloseTo(2 * 1.96 * 2 * Math.sqrt(2 / 80), 1);
    expect(estimate.value).toBeCloseTo(24, 10);
  });
});

describe("against statsmodels, with unequal and with missing cells", () => {
  it.each(designs.map((design, i) => [i, design] as const))("set %i", (_, design) => {
    const observations = design.rows.map(({ y, ...levels }): Observation => ({ levels, value: y }));
    const mains = [main("a"), main("b"), main("c")];
    const fit = fitDesign(observations, mains);
    for (const [factor, level, expected] of design.means) {
      const found = leastSquaresMeans(fit, factor).find((mean) => mean.level === level);
      expect(found && valueOf(found.estimate)).toBeCloseTo(expected, 8);
    }
    expect(fit.error).toMatchObject({
      squares: expect.closeTo(design.seedSquares, 8),
      df: design.seedDf,
      source: "seeds",
    });
    const squares = analyseVariance(observations, mains).rows.map((row) => row.squares);
    expect(squares).toEqual(design.mainSquares.map((x) => expect.closeTo(x, 8)));
    expect(design.crossedTerms).toEqual(["C(a)", "C(b)", "C(c)", "C(a):C(b)"]);
    const crossed = analyseVariance(observations, [...mains, interaction("a", "b")]).rows;
    expect(crossed.map((row) => row.squares)).toEqual(design.crossedSquares.map((x) => expect.closeTo(x, 8)));
    expect(crossed.map(({ df }) => df)).toEqual(design.crossedDf);
    const shares = varianceShares(observations, mains);
    expect(shares.terms.map(({ share }) => share)).toEqual(design.shares.map((x) => expect.closeTo(x, 10)));
    const sum = shares.terms.reduce((total, { share }) => total + share, 0) + shares.notModelled + shares.seedNoise;
    expect(sum).toBeCloseTo(1, 10);
  });
});

describe("analysis of variance", () => {
  it("has F of the seeds' spread, effect sizes and Holm over its terms", () => {
    const { rows, error, total, type } = analyseVariance(seeded, terms);
    expect({ type, error }).toEqual({
      type: "II",
      error: { squares: expect.closeTo(128, 9), df: 32, source: "seeds" },
    });
    const [a] = rows;
    expect(a).toMatchObject({ df: 1, f: expect.closeTo((3 * 2304) / 4, 8) });
    expect(a?.partialEtaSquared).toBeCloseTo(6912 / (6912 + 128), 10);
    expect(a?.omegaSquared).toBeCloseTo((6912 - 4) / (total.squares + 4), 10);
    for (const { p, correctedP } of rows) expect(correctedP).toBeGreaterThanOrEqual(p);
  });

  it("says nothing about a term that is another", () => {
    const aliased = seeded.map(({ levels, value }) => ({ levels: { ...levels, E: levels["A"] ?? "" }, value }));
    const { rows } = analyseVariance(aliased, [main("A"), main("E"), main("B")]);
    expect(rows.map(({ term, df, p }) => [term, df, Number.isNaN(p)])).toEqual([
      ["A", 0, true],
      ["E", 0, true],
      ["B", 1, false],
    ]);
  });

  it("finds by permutation what is there and not what is not, within blocks", () => {
    const noise = [0.3, -0.8, 0.5, 0.1, -0.6, 0.9, -0.2, 0.4, -0.7, 0.2, 0.6, -0.5];
    const runs = noise.map((x, i): Observation => {
      const levels = { A: i % 2 === 0 ? "low" : "high", B: i % 4 < 2 ? "low" : "high", env: i < 6 ? "e1" : "e2" };
      return { levels, value: (levels.A === "high" ? 3 : 0) + (levels.env === "e2" ? 50 : 0) + x };
    });
    const options = { blockFactor: "env", numPermutations: 1000, seed: 5 };
    const tests = permutationAnova(runs, [main("env"), main("A"), main("B")], options);
    expect(tests).toEqual(permutationAnova(runs, [main("env"), main("A"), main("B")], options));
    const [env, a, b] = tests.map(({ p }) => p);
    expect(env).toBeNaN();
    expect(a).toBeLessThan(0.01);
    expect(b).toBeGreaterThan(0.1);
  });

  it("takes what the model leaves as error where no cell has two seeds", () => {
    const { error } = analyseVariance(once, [main("A"), main("B")]);
    expect(error).toEqual({ squares: expect.closeTo(36 + 16 + 144, 8), df: 13, source: "residual" });
  });
});

describe("variance shares", () => {
  it("leave what the model does not have, and the seeds' noise, in bars of their own", () => {
    const shares = varianceShares(seeded, factors.map(main));
    const total = 3 * 2900 + 128;
    expect(shares.notModelled).toBeCloseTo((3 * 144) / total, 10);
    expect(shares).toMatchObject({ seedNoise: expect.closeTo(128 / total, 10), hasSeedNoise: true });
  });

  it("have intervals from five seeds a cell on", () => {
    const many = ["low", "high"].flatMap((A) =>
      [0, 1, 2, 3, 4].map((x): Observation => ({ levels: { A }, value: x + (A === "high" ? 3 : 0) })),
    );
    const [share] = varianceShares(many, [main("A")], { numResamples: 400 }).terms;
    expect(share?.interval?.low).toBeLessThan(share?.share ?? NaN);
    expect(share?.interval?.high).toBeGreaterThan(share?.share ?? NaN);
  });

  it("split what two aliased terms explain together evenly between them", () => {
    const twins = seeded.map(({ levels, value }) => ({ levels: { ...levels, E: levels["A"] ?? "" }, value }));
    const [a, e] = varianceShares(twins, [main("A"), main("E")]).terms;
    expect(a?.share).toBeCloseTo(e?.share ?? NaN, 10);
  });
});

it("brings environments to one scale before they meet", () => {
  const runs = [1, 2, 3].flatMap((x) => [
    { ...studiedRun(cellOf({}), x, { value: x }), environment: "a" },
    { ...studiedRun(cellOf({}), x, { value: 100 * x }), environment: "b" },
  ]);
  expect(standardiseRuns(runs).map(({ value }) => value)).toEqual([-1, -1, 0, 0, 1, 1]);
});
