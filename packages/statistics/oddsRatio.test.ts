import { describe, expect, it } from "vitest";
import { benjaminiHochberg } from "./multiplicity.ts";
import { clusteredOddsRatio } from "./oddsRatio.ts";
import fixtures from "./testing/oddsFixtures.json" with { type: "json" };

const rowsOf = (rows: readonly (readonly (number | string)[])[]) =>
  rows.map(([other, hits, trials, ...units]): Parameters<typeof clusteredOddsRatio>[0][number] => ({
    isOther: other === 1,
    hits: Number(hits),
    trials: Number(trials),
    units: units.map(String),
  }));

describe("odds ratios of trials in correlated units", () => {
  it.each(fixtures.cases.map((one, i) => [i, one] as const))("case %i equals statsmodels", (_, expected) => {
    const { ratio, interval, p } = clusteredOddsRatio(rowsOf(expected.rows));
    expect(ratio).toBeCloseTo(expected.ratio, 8);
    expect(interval.low).toBeCloseTo(expected.low, 7);
    expect(interval.high).toBeCloseTo(expected.high, 7);
    expect(p).toBeCloseTo(expected.p, 7);
  });

  it("has no interval without a second unit, and a finite ratio without a hit in one group", () => {
    const one = (isOther: boolean, hits: number, task: string) => ({ isOther, hits, trials: 10, units: [task] });
    const alone = clusteredOddsRatio([one(false, 2, "a"), one(true, 5, "a")]);
    expect(alone.ratio).toBeCloseTo(4, 12);
    expect(alone.p).toBeNaN();
    const never = clusteredOddsRatio([one(false, 0, "a"), one(true, 5, "b"), one(true, 3, "c"), one(false, 0, "d")]);
    expect(Number.isFinite(never.ratio) && never.ratio > 1).toBe(true);
  });
});

it("a group without hits has no narrower interval than independent trials give", () => {
  const rows = Array.from({ length: 100 }, (_, i) =>
    [false, true].map((isOther) => ({
      isOther,
      hits: isOther && i % 10 === 0 ? 1 : 0,
      trials: 1,
      units: [`task ${i % 20}`, `seed ${i % 5}`],
    })),
  ).flat();
  const { ratio, interval } = clusteredOddsRatio(rows);
  // Half a trial is added to 0 of 100; Woolf's variance is the sum of the reciprocal counts.
  expect(ratio).toBeCloseTo(10 / 90 / (0.5 / 100.5), 8);
  const woolf = Math.sqrt(1 / 10 + 1 / 90 + 1 / 0.5 + 1 / 100.5);
  expect(Math.log(interval.high / ratio)).toBeGreaterThanOrEqual(1.96 * woolf * 0.999);
});

describe("Benjamini and Hochberg's correction", () => {
  it.each(fixtures.corrections)("of $p as statsmodels has it", ({ p, fdr }) => {
    expect(benjaminiHochberg(p)).toEqual(fdr.map((x) => expect.closeTo(x, 12)));
  });
});
