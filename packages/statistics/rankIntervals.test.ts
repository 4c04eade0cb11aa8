import { describe, expect, it } from "vitest";
import { rankWithIntervals } from "./rankIntervals.ts";

describe("ranks of configurations", () => {
  it("of means far apart are certain, and of means that overlap are not", () => {
    const far = rankWithIntervals(
      [
        [1, 2, 3],
        [101, 102, 103],
        [51, 52, 53],
      ],
      "up",
    );
    expect(far).toEqual([3, 1, 2].map((rank) => ({ rank, interval: { low: rank, high: rank } })));
    const near = rankWithIntervals(
      [
        [1, 9, 5, 2],
        [4, 6, 3, 8],
        [101, 102, 103, 104],
      ],
      "up",
    );
    expect(near.map(({ interval }) => interval)).toEqual([
      { low: 2, high: 3 },
      { low: 2, high: 3 },
      { low: 1, high: 1 },
    ]);
  });

  it("begin with the smallest where less is better, and ties share their places", () => {
    expect(rankWithIntervals([[3], [1], [1]], "down").map(({ rank }) => rank)).toEqual([3, 1.5, 1.5]);
  });
});
