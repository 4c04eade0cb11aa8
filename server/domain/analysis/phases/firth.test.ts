import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { z } from "zod";
import { fitFirth, predictLogOdds, toProbability } from "./firth.ts";

const numbers = z.array(z.number());
const Fixtures = z.array(
  z.object({ name: z.string(), inputs: z.array(numbers), events: numbers, coefficients: numbers, errors: numbers }),
);
/** Reference values from PyPI's firthmodels and numpy, written by `testing/makeFixtures.py`. */
const fixtures = Fixtures.parse(JSON.parse(readFileSync(new URL("testing/fixtures.json", import.meta.url), "utf8")));

test.each(fixtures)("$name: coefficients and standard errors as firthmodels and numpy have them", (fixture) => {
  const { inputs, events, coefficients, errors } = fixture;
  const fit = fitFirth(inputs.map((input, i) => ({ features: [1, ...input], numRuns: 1, numEvents: events[i] ?? 0 })));
  for (const [i, coefficient] of coefficients.entries()) {
    expect(fit?.coefficients[i]).toBeCloseTo(coefficient, 6);
    expect(Math.sqrt(fit?.covariance[i]?.[i] ?? NaN)).toBeCloseTo(errors[i] ?? NaN, 5);
  }
});

test("runs of one cell may be counted together", () => {
  const trials = [-1, 0, 1].flatMap((x) =>
    [0, 1, 2].map((i) => ({ features: [1, x], numRuns: 1, numEvents: i <= x ? 1 : 0 })),
  );
  const cells = [-1, 0, 1].map((x, i) => ({ features: [1, x], numRuns: 3, numEvents: i }));
  const [single, counted] = [fitFirth(trials), fitFirth(cells)];
  expect(counted?.coefficients[1]).toBeCloseTo(single?.coefficients[1] ?? NaN, 8);
  expect(counted?.coefficients[1]).toBeGreaterThan(0);
});

test("one cell alone: the penalty adds half a run to either side", () => {
  const fit = fitFirth([{ features: [1], numRuns: 4, numEvents: 4 }]);
  expect(toProbability(predictLogOdds(fit ?? { coefficients: [], covariance: [] }, [1]).logOdds)).toBeCloseTo(4.5 / 5);
});

test("features that only change together have no estimate", () => {
  expect(
    fitFirth([
      { features: [1, 0, 0], numRuns: 3, numEvents: 0 },
      { features: [1, 1, 2], numRuns: 3, numEvents: 2 },
    ]),
  ).toBeUndefined();
});
