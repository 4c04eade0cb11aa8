import { expect, it } from "vitest";
import { countNewSeeds, findNeeded } from "./neededSeeds.ts";

const rate = { unit: "fraction" };
const [x, y] = [{ values: [0.5, 0.6, 0.7, 0.6, 0.5] }, { values: [0.5, 0.5, 0.6, 0.6, 0.5] }];

it("an undecided comparison needs more seeds at a small difference than at ten points, and rates alone have points", () => {
  const needed = findNeeded(x, y, rate);
  expect(needed).toMatchObject({ n: 5, difference: expect.closeTo(0.04, 9) });
  expect(needed?.atObserved).toBeGreaterThan(2 * (needed?.atTenPoints ?? NaN));
  expect(findNeeded(x, y, { unit: "nats" })).not.toHaveProperty("atTenPoints");
});

it("too few seeds or no spread need nothing that could be computed", () => {
  expect(findNeeded({ values: [0.5, 0.6, NaN] }, y, rate)).toBeUndefined();
  expect(findNeeded({ values: [1, 1, 1] }, { values: [0, 0, 0] }, rate)).toBeUndefined();
});

it("new seeds raise each configuration from its seeds to the needed ones", () => {
  expect(countNewSeeds({ n: 5 }, 14, 5)).toBe(9);
  expect(countNewSeeds({ n: 15 }, 30, 3)).toBe(3);
  expect(countNewSeeds({ n: 5 }, 5.1, 5)).toBe(1);
});
