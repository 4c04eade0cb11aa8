import { expect, it } from "vitest";
import { split } from "#trainer/spec/rng.ts";
import { logDensity, makeParzen, samplePoint } from "./parzen.ts";
import type { Parameter } from "./space.ts";
import { fixtures } from "./testing/fixtures.ts";

const space: Parameter[] = [
  { kind: "uniform", low: -2, high: 3 },
  { kind: "logUniform", low: 1e-4, high: 1e-1 },
  { kind: "integer", low: 1, high: 60 },
  { kind: "choice", of: ["a", "b", "c"] },
];
const toLogRate = (row: readonly number[]) => row.map((value, d) => (d === 1 ? Math.log(value) : value));

it.each(fixtures.parzen)("has the density of Optuna's estimator, of $observed.length trials", (one) => {
  const parzen = makeParzen(space, one.observed.map(toLogRate));
  for (const [i, row] of one.asked.entries()) {
    expect(logDensity(parzen, toLogRate(row))).toBeCloseTo(one.logDensity[i] ?? NaN, 8);
  }
});

it("draws as often as its density says, within the bounds", () => {
  const parzen = makeParzen(space, fixtures.parzen[2]?.observed.map(toLogRate) ?? []);
  const rng = split(1, "draws");
  const draws = Array.from({ length: 20_000 }, () => samplePoint(parzen, rng));
  expect(draws.every(([x = NaN, , n = NaN]) => x >= -2 && x <= 3 && n >= 1 && n <= 60 && n % 1 === 0)).toBe(true);
  const alone = makeParzen(space.slice(2, 3), fixtures.parzen[2]?.observed.map((row) => row.slice(2, 3)) ?? []);
  for (let n = 1; n <= 60; n++) {
    const share = draws.filter((row) => row[2] === n).length / draws.length;
    expect(Math.abs(share - Math.exp(logDensity(alone, [n])))).toBeLessThan(0.005);
  }
});
