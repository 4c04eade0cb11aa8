import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { fitCox, type CoxUnit } from "./cox.ts";
import { testEquivalence } from "./equivalence.ts";

const numbers = z.array(z.number());
const Units = z.object({ x: z.array(numbers), time: numbers, isEvent: z.array(z.boolean()), stratum: numbers });
const Fixtures = z.object({
  efron: z.array(Units.extend({ coefficients: numbers })),
  firth: z.array(Units.extend({ coefficients: numbers, intervals: z.array(numbers), p: numbers })),
  equivalence: z.array(z.object({ x: numbers, y: numbers, p: z.number(), notBelow: z.number(), notAbove: z.number() })),
});
const text = readFileSync(new URL("testing/coxFixtures.json", import.meta.url), "utf8");
const fixtures = Fixtures.parse(JSON.parse(text));

function toUnits({ x, time, isEvent, stratum }: z.infer<typeof Units>): CoxUnit[] {
  return x.map((values, i) => ({
    x: values,
    stratum: String(stratum[i]),
    duration: { time: time[i] ?? NaN, isEvent: isEvent[i] === true },
  }));
}

describe("Cox regression", () => {
  it.each(fixtures.efron)("has the estimates of lifelines, ties and strata among them", (fixture) => {
    const fit = fitCox(toUnits(fixture), { isPenalised: false });
    fixture.coefficients.forEach((value, j) => expect(fit?.[j]?.coefficient).toBeCloseTo(value, 6));
  });

  it.each(fixtures.firth)(
    "with Firth's penalty has those of firthmodels, also where a group has no event",
    (fixture) => {
      const fit = fitCox(toUnits(fixture));
      fixture.coefficients.forEach((value, j) => {
        expect(fit?.[j]?.coefficient).toBeCloseTo(value, 5);
        expect(fit?.[j]?.interval.low).toBeCloseTo(fixture.intervals[j]?.[0] ?? NaN, 3);
        expect(fit?.[j]?.interval.high).toBeCloseTo(fixture.intervals[j]?.[1] ?? NaN, 3);
        expect(fit?.[j]?.p).toBeCloseTo(fixture.p[j] ?? NaN, 4);
      });
    },
  );

  it("says nothing where nothing happened, or all have the same covariates", () => {
    const [first] = fixtures.efron;
    const units = first ? toUnits(first) : [];
    expect(fitCox(units.map((unit) => ({ ...unit, duration: { ...unit.duration, isEvent: false } })))).toBeUndefined();
    expect(fitCox(units.map((unit) => ({ ...unit, x: [1] })))).toBeUndefined();
  });
});

describe("two one-sided tests", () => {
  it.each(fixtures.equivalence)("have the p of statsmodels", ({ x, y, p, notBelow, notAbove }) => {
    const found = testEquivalence(x, y, { margin: 0.05 });
    expect([found.p, found.notBelow, found.notAbove]).toEqual([p, notBelow, notAbove].map((q) => expect.closeTo(q, 9)));
    expect(found.p < 0.05).toBe(found.interval.low > -0.05 && found.interval.high < 0.05);
  });

  it("allow for looks: both p below .05 exactly if the interval lies within the margin", () => {
    const y = [0.5, 0.52, 0.47, 0.55, 0.5, 0.49];
    const verdicts = [0.02, 0.026, 0.03, 0.033, 0.035, 0.04].map((gain) => {
      const x = y.map((value, i) => value + gain + (i % 2 === 0 ? 0.01 : -0.01));
      const [plain, repeated] = [[], [1.5, 3]].map((looks) => testEquivalence(x, y, { margin: 0.05, looks }));
      expect(repeated?.p).toBeGreaterThan(plain?.p ?? NaN);
      expect(repeated && repeated.p < 0.05).toBe(repeated && repeated.interval.high < 0.05);
      return [plain, repeated].map((found) => found && found.p < 0.05);
    });
    expect(verdicts).toContainEqual([true, false]);
  });

  it("say nothing of one pair, or of pairs that all differ by the same", () => {
    expect(testEquivalence([0.5], [0.4], { margin: 0.05 }).p).toBeNaN();
    expect(testEquivalence([0.5, 0.6], [0.4, 0.5], { margin: 0.05 })).toMatchObject({
      p: NaN,
      difference: expect.closeTo(0.1, 12),
    });
  });
});
