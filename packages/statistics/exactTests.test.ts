import { describe, expect, it } from "vitest";
import { split } from "#trainer/spec/rng.ts";
import { fisherTest, mannWhitneyTest } from "./twoSampleTests.ts";
import { permutationTest } from "./permutationTest.ts";
import { fixtures } from "./testing/fixtures.ts";

describe("small samples full of ties", () => {
  it("have the exact p of SciPy's permutations, 100 pairs, values as they are and 10⁶ higher up", () => {
    expect(fixtures.tied).toHaveLength(100);
    const ours = fixtures.tied.map(({ x, y }) => [mannWhitneyTest(x, y), permutationTest(x, y)] as const);
    for (const [i, { x, y, u, mannWhitney, means }] of fixtures.tied.entries()) {
      const [ranks, sums] = ours[i] ?? [];
      expect({ x, y, u: ranks?.u, method: ranks?.method }).toEqual({ x, y, u, method: "exact" });
      expect(ranks?.p, JSON.stringify({ x, y })).toBeCloseTo(mannWhitney, 12);
      expect(sums?.p, JSON.stringify({ x, y })).toBeCloseTo(means, 12);
    }
  });

  it("never fall below the floor of their size: 0, 0, 0 against 1, 1, 1 has p = .10", () => {
    expect(mannWhitneyTest([0, 0, 0], [1, 1, 1])).toEqual({ u: 0, p: expect.closeTo(0.1, 12), method: "exact" });
  });

  it("are counted exactly up to 20 a side, and approximated beyond", () => {
    const low = Array.from({ length: 21 }, (_, i) => Math.floor(i / 3));
    const high = low.map((x) => x + 1);
    const [exact, approximate] = [20, 21].map((n) => mannWhitneyTest(low.slice(0, n), high.slice(0, n)));
    expect([exact?.method, approximate?.method]).toEqual(["exact", "asymptotic"]);
    const near = mannWhitneyTest(low.slice(0, 20), high.slice(0, 20), "asymptotic").p;
    expect(Math.abs((exact?.p ?? NaN) / near - 1)).toBeLessThan(0.1);
  });
});

describe("permutations of means", () => {
  it("do not mind where zero lies: arrangements that tie go on to tie", () => {
    const rng = split(5, "tied rates");
    for (let trial = 0; trial < 40; trial++) {
      const [x = [], y = []] = [4, 5].map((n) => Array.from({ length: n }, () => rng.int(9) / 8));
      const { p } = permutationTest(x, y);
      for (const offset of [-3, 1e3, 1e7]) {
        const moved = permutationTest(
          x.map((value) => value + offset + 0.1),
          y.map((value) => value + offset + 0.1),
        );
        expect(moved.p, JSON.stringify({ x, y, offset })).toBe(p);
      }
    }
  });

  it("tell apart what differs by less than a billionth of an outlier", () => {
    // Only the observed arrangement and its mirror image put the outlier together with the two next largest values.
    const [x, y] = [
      [1e9, 0.4, 0.3],
      [0.1, 0.2, 0.25],
    ];
    expect(permutationTest(x ?? [], y ?? []).p).toBeCloseTo(2 / 20, 12);
  });

  it("have no p where a value is infinite", () => {
    expect(permutationTest([Infinity, 1, 2], [1, 2, 3]).p).toBeNaN();
  });
});

describe("Fisher's test of large groups", () => {
  it("does not overflow: halves of 600 and of 6,000 are alike, and a tenth of 5,000 is not a fifth", () => {
    expect(fisherTest({ k: 300, n: 600 }, { k: 300, n: 600 })).toBeCloseTo(1, 10);
    expect(fisherTest({ k: 3000, n: 6000 }, { k: 3000, n: 6000 })).toBeCloseTo(1, 10);
    const p = fisherTest({ k: 500, n: 5000 }, { k: 1000, n: 5000 });
    expect(p).toBeGreaterThan(0);
    expect(p).toBeLessThan(1e-40);
  });
});
