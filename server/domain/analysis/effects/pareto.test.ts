import { describe, expect, it } from "vitest";
import { paretoFront, probabilityOnFront, type ParetoPoint } from "./pareto.ts";

const points: ParetoPoint[] = [
  [0.9, 0.4],
  [0.8, 0.8],
  [0.7, 0.9],
  [0.6, 0.85],
  [0.85, 0.75],
].map(([x = NaN, y = NaN]) => ({ x, y }));

describe("Pareto front of performance against stability", () => {
  it("keeps 0, 1, 2 and 4 of the worked example", () => {
    expect(paretoFront(points)).toEqual([0, 1, 2, 4]);
  });

  it("keeps equal points together and drops one that only ties in one coordinate", () => {
    expect(
      paretoFront([
        { x: 1, y: 1 },
        { x: 1, y: 1 },
        { x: 1, y: 0 },
      ]),
    ).toEqual([0, 1]);
  });

  it("says how surely a method is on it, from its seeds", () => {
    const sure = [0.9, 0.91, 0.89].map((x) => ({ x, y: 0.9 }));
    const never = [0.5, 0.52, 0.51].map((x) => ({ x, y: 0.2 }));
    const perhaps = [0.2, 0.95, 0.99].map((x) => ({ x, y: 0.9 }));
    const [a, b, c] = probabilityOnFront([sure, never, perhaps], { numResamples: 20_000 });
    expect(b).toBe(0);
    // The method leads only in the 8 of 27 resamples without its low seed; ties do not occur here.
    expect(c).toBeCloseTo(8 / 27, 12);
    expect(a).toBeCloseTo(19 / 27, 12);
  });
});
