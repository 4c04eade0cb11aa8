import { split } from "#trainer/spec/rng.ts";
import { describe, expect, it } from "vitest";
import { benjaminiHochberg, bonferroni, holm } from "./multiplicity.ts";
import { fixtures } from "./testing/fixtures.ts";

const near = (values: readonly number[]) => values.map((x) => expect.closeTo(x, 12));

describe("corrections of several p-values", () => {
  const p = [0.001, 0.012, 0.021, 0.04, 0.3];

  it("Holm, Benjamini–Hochberg and Bonferroni of the worked example", () => {
    expect(holm(p)).toEqual(near([0.005, 0.048, 0.063, 0.08, 0.3]));
    expect(benjaminiHochberg(p)).toEqual(near([0.005, 0.03, 0.035, 0.05, 0.3]));
    expect(bonferroni(p)).toEqual(near([0.005, 0.06, 0.105, 0.2, 1]));
  });

  it.each(fixtures.corrections)("of $p as statsmodels has them", (expected) => {
    expect(holm(expected.p)).toEqual(near(expected.holm));
    expect(benjaminiHochberg(expected.p)).toEqual(near(expected.benjaminiHochberg));
    expect(bonferroni(expected.p)).toEqual(near(expected.bonferroni));
  });

  it("leaves out tests that could not be done", () => {
    expect(holm([0.01, NaN, 0.04])).toEqual([0.02, NaN, 0.04]);
  });

  it("keeps the order of the p-values, and BH ≤ Holm ≤ Bonferroni, for any family", () => {
    const rng = split("corrections");
    for (let family = 0; family < 200; family++) {
      const p = Array.from({ length: 1 + rng.int(12) }, () => Math.round(rng.next() ** 3 * 1000) / 1000);
      const ascending = p.toSorted((a, b) => a - b);
      for (const correct of [holm, benjaminiHochberg, bonferroni]) {
        expect(correct(ascending)).toEqual(correct(ascending).toSorted((a, b) => a - b));
      }
      const [bh, stepDown, plain] = [benjaminiHochberg(p), holm(p), bonferroni(p)];
      for (const i of p.keys()) {
        expect(bh[i]).toBeLessThanOrEqual((stepDown[i] ?? NaN) + 1e-15);
        expect(stepDown[i]).toBeLessThanOrEqual((plain[i] ?? NaN) + 1e-15);
        expect(bh[i]).toBeGreaterThanOrEqual(p[i] ?? NaN);
      }
    }
  });
});
