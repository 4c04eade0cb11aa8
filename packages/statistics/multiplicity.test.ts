import { split } from "#trainer/spec/rng.ts";
import { describe, expect, it } from "vitest";
import { holm } from "./multiplicity.ts";
import { fixtures } from "./testing/fixtures.ts";

const near = (values: readonly number[]) => values.map((x) => expect.closeTo(x, 12));

describe("corrections of several p-values", () => {
  const p = [0.001, 0.012, 0.021, 0.04, 0.3];

  it("Holm of the worked example", () => {
    expect(holm(p)).toEqual(near([0.005, 0.048, 0.063, 0.08, 0.3]));
  });

  it.each(fixtures.corrections)("of $p as statsmodels has them", (expected) => {
    expect(holm(expected.p)).toEqual(near(expected.holm));
  });

  it("leaves out tests that could not be done", () => {
    expect(holm([0.01, NaN, 0.04])).toEqual([0.02, NaN, 0.04]);
  });

  it("keeps the order of the p-values, and lies between each and Bonferroni's, for any family", () => {
    const rng = split("corrections");
    for (let family = 0; family < 200; family++) {
      const p = Array.from({ length: 1 + rng.int(12) }, () => Math.round(rng.next() ** 3 * 1000) / 1000);
      const ascending = p.toSorted((a, b) => a - b);
      expect(holm(ascending)).toEqual(holm(ascending).toSorted((a, b) => a - b));
      for (const [i, corrected] of holm(p).entries()) {
        expect(corrected).toBeLessThanOrEqual(Math.min(1, (p[i] ?? NaN) * p.length) + 1e-15);
        expect(corrected).toBeGreaterThanOrEqual(p[i] ?? NaN);
      }
    }
  });
});
