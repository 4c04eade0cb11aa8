import { describe, expect, it } from "vitest";
import { fisherTest, welchTest } from "#packages/statistics/twoSampleTests.ts";
import { contrastWithin } from "./sides.ts";
import { fisherWithin } from "./sides.ts";

const x = [0.3, 0.5, 0.45, 0.62];
const y = [0.2, 0.1, 0.35];

describe("means within strata", () => {
  it("in one stratum are Welch's test", () => {
    const { difference, interval, p } = contrastWithin([[x, y]], { signs: [1, -1] });
    const welch = welchTest(x, y);
    expect(difference).toBeCloseTo(welch.difference, 12);
    expect(p).toBeCloseTo(welch.p, 10);
    expect(interval.low).toBeCloseTo(welch.interval.low, 10);
  });

  it("do not see what moves a whole stratum", () => {
    const moved = (by: number) => [[x, y].map((values) => values.map((value) => value + by))].flat();
    const strata = [[x, y], moved(0)];
    expect(contrastWithin([[x, y], moved(5)], { signs: [1, -1] }).p).toBeCloseTo(
      contrastWithin(strata, { signs: [1, -1] }).p,
      10,
    );
  });

  it("weigh strata by what their runs can tell", () => {
    // The differences are 1 and 4, with weights 1/(1/2 + 1/2) = 1 and 1/(1/4 + 1/4) = 2.
    const found = contrastWithin(
      [
        [
          [1, 3],
          [0, 2],
        ],
        [
          [4, 4, 5, 5],
          [0, 0, 1, 1],
        ],
      ],
      { signs: [1, -1] },
    );
    expect(found.difference).toBeCloseTo((1 * 1 + 2 * 4) / 3, 12);
  });

  it("cannot tell where no stratum has two runs of a side, nor where there is none", () => {
    expect(
      contrastWithin(
        [
          [[1], [0]],
          [[2], [1]],
        ],
        { signs: [1, -1] },
      ),
    ).toMatchObject({ difference: 1, p: NaN });
    expect(contrastWithin([], { signs: [1, -1] })).toMatchObject({ difference: NaN, p: NaN });
  });
});

describe("rates within strata", () => {
  it.each([
    [3, 10, 9, 10],
    [0, 6, 6, 6],
    [0, 5, 0, 7],
    [4, 24, 2, 6],
  ])("in one stratum are Fisher's test: %i of %i against %i of %i", (k, n, l, m) => {
    const [a, b] = [
      { k, n },
      { k: l, n: m },
    ];
    expect(fisherWithin([[a, b]])).toBeCloseTo(fisherTest(a, b), 10);
  });

  it("are what dealing the events within each stratum gives", () => {
    // Two strata of 2 + 2 runs have two events each, all on the second side. Of 36 arrangements, 1, 8, 18, 8 and 1 have
    // the totals 0 to 4.
    const stratum = [
      { k: 0, n: 2 },
      { k: 2, n: 2 },
    ] as const;
    expect(fisherWithin([stratum, stratum])).toBeCloseTo(2 / 36, 12);
  });

  it("are told of thousands of runs", () => {
    const [a, b] = [
      { k: 900, n: 4000 },
      { k: 1100, n: 4000 },
    ];
    expect(fisherWithin([[a, b]])).toBeGreaterThan(0);
    expect(fisherWithin([[a, b]])).toBeLessThan(1e-5);
  });
});
