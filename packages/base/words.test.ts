import { expect, it } from "vitest";
import { formatCount, formatHyperparameter } from "./words.ts";

it("counts one and many", () => {
  expect([0, 1, 2, 12_480].map((n) => formatCount(n, "run"))).toEqual(["0 runs", "1 run", "2 runs", "12,480 runs"]);
  expect([1, 2].map((n) => formatCount(n, "entry", "entries"))).toEqual(["1 entry", "2 entries"]);
});

it("spells neighbouring rates alike, and exactly", () => {
  const rates = [1e-6, 3e-4, 1e-3, 2.5e-3, 0.01, 0.28, 1, 128];
  const texts = rates.map(formatHyperparameter);
  expect(texts).toEqual(["1e-6", "3e-4", "1e-3", "2.5e-3", "0.01", "0.28", "1", "128"]);
  expect(texts.map(Number)).toEqual(rates);
  for (const x of [0.0015, 1e-8, 0.1 + 0.2, 12345.678, -2e-5]) expect(Number(formatHyperparameter(x))).toBe(x);
  expect([0, -3e-4].map(formatHyperparameter)).toEqual(["0", "-3e-4"]);
});
