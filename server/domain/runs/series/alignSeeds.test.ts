import { describe, expect, it } from "vitest";
import { split } from "#trainer/spec/rng.ts";
import { alignSeeds, groupSeeds } from "./alignSeeds.ts";
import { type Curve, std } from "#packages/statistics";

const curve = (iterations: number[], values: number[]): Curve => ({
  iterations: Int32Array.from(iterations),
  values: Float64Array.from(values),
});
const meanOf = (...curves: Curve[]) => {
  const aligned = alignSeeds(curves);
  const { mean, n } = groupSeeds(aligned);
  return { ...aligned, x: [...aligned.iterations], mean: [...mean], n: [...n], measured: [...aligned.measured] };
};
const steps = (from: number, to: number, every = 1) =>
  Array.from({ length: Math.floor((to - from) / every) + 1 }, (_, i) => from + i * every);

describe("seeds on the same steps", () => {
  it("gives mean, sample deviation and count where all log at the same steps", () => {
    const aligned = alignSeeds([curve([0, 1], [1, 10]), curve([0, 1], [2, 20]), curve([0, 1], [6, 60])]);
    const { mean, sd, n } = groupSeeds(aligned);
    expect([[...mean], [...sd], [...n]]).toEqual([
      [3, 30],
      [std([1, 2, 6]), std([10, 20, 60])],
      [3, 3],
    ]);
    expect([[...aligned.measured], aligned.breaks]).toEqual([[3, 3], []]);
  });

  it("averages over all seeds at every step where one measures at every fifth: no sawtooth", () => {
    const every1 = curve(
      steps(0, 20),
      steps(0, 20).map(() => 0),
    );
    const every5 = curve(
      steps(0, 20, 5),
      steps(0, 20, 5).map((x) => 1 + x),
    );
    const { mean, n, measured, breaks } = meanOf(every1, every5);
    for (const [i, x] of steps(0, 20).entries()) expect(mean[i]).toBeCloseTo((1 + x) / 2, 12);
    expect(new Set(n)).toEqual(new Set([2]));
    expect(measured.slice(0, 6)).toEqual([2, 1, 1, 1, 1, 2]);
    expect(breaks).toEqual([]);
  });

  it("goes on to the longest seed's end, and is interrupted where a seed begins or ends", () => {
    const { x, n, mean, breaks, ranges } = meanOf(
      curve(steps(1, 8), [1, 1, 1, 1, 1, 1, 1, 1]),
      curve([5, 10, 15, 20], [3, 3, 3, 3]),
    );
    expect(x).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 10, 15, 20]);
    expect(mean).toEqual([1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3]);
    expect(n).toEqual([1, 1, 1, 1, 2, 2, 2, 2, 1, 1, 1]);
    expect(breaks).toEqual([4, 8]);
    expect(ranges).toEqual([
      { first: 1, last: 8 },
      { first: 5, last: 20 },
    ]);
  });

  it("bridges a seed's gap and its values that are not finite, and counts what was measured", () => {
    const { mean, n, measured, breaks } = meanOf(
      curve([0, 1, 2, 3, 4], [0, 0, 0, 0, 0]),
      curve([0, 1, 2, 3, 4], [4, NaN, Infinity, 10, NaN]),
      curve([0, 4], [2, 2]),
    );
    expect(mean.map((x) => Math.round(1e6 * x) / 1e6)).toEqual([2, 2.666667, 3.333333, 4, 1]);
    expect([n, measured]).toEqual([
      [3, 3, 3, 3, 2],
      [3, 1, 1, 2, 2],
    ]);
    expect(breaks).toEqual([3]);
  });

  it("has no value where no seed measured one, and a lone seed stays as it was logged", () => {
    expect(meanOf(curve([0, 1, 2], [1, NaN, 3]), curve([0, 1, 2], [3, -Infinity, 5])).mean).toEqual([2, NaN, 4]);
    expect(meanOf(curve([0, 1, 2], [1, NaN, 3])).mean).toEqual([1, NaN, 3]);
  });

  it("is interrupted where every seed misses steps, not where one does or where a run goes on with longer steps", () => {
    const gap = curve([0, 1, 2, 3, 30, 31, 32], [1, 1, 1, 1, 1, 1, 1]);
    expect(meanOf(gap, gap).breaks).toEqual([3]);
    const whole = curve(
      steps(0, 32),
      steps(0, 32).map(() => 1),
    );
    expect(meanOf(gap, whole).breaks).toEqual([]);
    const resumed = [...steps(0, 20), ...steps(25, 40, 5)];
    const constant = curve(
      resumed,
      resumed.map(() => 1),
    );
    expect(alignSeeds([constant]).breaks.length).toBeLessThan(2);
  });

  it("takes single points, empty curves, none at all, and iterations millions apart", () => {
    expect(meanOf(curve([7], [2]), curve([7, 8], [4, 6]))).toMatchObject({ mean: [3, 6], n: [2, 1], breaks: [7] });
    expect(alignSeeds([]).iterations).toHaveLength(0);
    expect(meanOf(curve([], []), curve([3], [NaN])).mean).toEqual([NaN]);
    expect(meanOf(curve([0, 100_000_000], [1, 2]), curve([7, 100_000_000], [3, 4])).mean).toEqual([
      1,
      expect.closeTo((1 + 7e-8 + 3) / 2, 9),
      3,
    ]);
  });

  it("equals interpolation of each seed by the plain loop, on random seeds", () => {
    const rng = split(1, "align");
    for (let round = 0; round < 40; round++) {
      const curves = Array.from({ length: 2 + rng.int(5) }, () => {
        const every = 1 + rng.int(6);
        const at = steps(rng.int(20), 20 + rng.int(60), every).filter(() => rng.next() > 0.1);
        return curve(
          at,
          at.map(() => (rng.next() < 0.1 ? NaN : 1e6 + rng.normal())),
        );
      });
      const { iterations, measured, columns } = alignSeeds(curves);
      const { mean, n } = groupSeeds({ iterations, columns });
      for (const [slot, x] of iterations.entries()) {
        const values = curves.flatMap((one) => interpolate(one, x));
        expect(n[slot]).toBe(measured[slot] === 0 ? 0 : values.length);
        if (n[slot] === 0) continue;
        expect(mean[slot]).toBeCloseTo(values.reduce((sum, y) => sum + y, 0) / values.length, 6);
      }
    }
  });

  it("gives the same mean whatever the order of the seeds, to the last digits", () => {
    const seeds = [
      curve(steps(0, 30), steps(0, 30).map(Math.sin)),
      curve(steps(0, 30, 3), steps(0, 30, 3)),
      curve([4, 9], [1, 2]),
    ];
    const [a, b] = [meanOf(...seeds), meanOf(...seeds.toReversed())];
    expect(a.n).toEqual(b.n);
    for (const [i, x] of a.mean.entries()) expect(b.mean[i]).toBeCloseTo(x, 12);
  });
});

/** Interpolates at x by binary search in the finite points; an empty list if x is outside their range. */
function interpolate({ iterations, values }: Curve, x: number): number[] {
  const points = [...iterations].map((at, i) => ({ at, y: values[i] ?? NaN })).filter(({ y }) => Number.isFinite(y));
  const before = points.findLast(({ at }) => at <= x);
  const after = points.find(({ at }) => at >= x);
  if (!before || !after) return [];
  return [
    before.at === after.at ? before.y : before.y + ((after.y - before.y) * (x - before.at)) / (after.at - before.at),
  ];
}
