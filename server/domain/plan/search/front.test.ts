import { expect, it } from "vitest";
import { describeFront } from "./front.ts";

it("names the trials that no other is better than in all, and the share of the box that those so far dominate", () => {
  const { numbers, shares } = describeFront([
    { number: 3, losses: [0.5, 0.5] },
    { number: 0, losses: [0, 1] },
    { number: 1, losses: [1, 0] },
    { number: 2, losses: [0.8, 0.8] },
    { number: 4, losses: [Infinity, 0] },
  ]);
  expect(numbers).toEqual([0, 1, 3]);
  // The box is 1.1 by 1.1. Each end point of the front dominates a tenth of it; trial 3 adds the area between them.
  const box = 1.1 ** 2;
  expect(shares.map(({ number }) => number)).toEqual([0, 1, 2, 3]);
  expect(shares[0]?.share).toBeCloseTo((1.1 * 0.1) / box);
  expect(shares[1]?.share).toBeCloseTo((2 * 1.1 * 0.1 - 0.01) / box);
  expect(shares[3]?.share).toBeCloseTo((2 * 1.1 * 0.1 - 0.01 + 0.25) / box + (2 * 0.5 * 0.1 - 0.1) / box);
});

it("has none where nothing was measured", () => {
  expect(describeFront([{ number: 0, losses: [NaN, 1] }])).toEqual({ numbers: [], shares: [] });
});
