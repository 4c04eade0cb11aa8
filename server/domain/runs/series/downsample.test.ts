import { describe, expect, it } from "vitest";
import { split } from "#trainer/spec/rng.ts";
import { downsample } from "./downsample.ts";
import type { Curve } from "#packages/statistics";

const curve = (values: number[]): Curve => ({
  iterations: Int32Array.from(values, (_, i) => i),
  values: Float64Array.from(values),
});

/** Makes a random walk with spikes and stretches of NaN. */
function makeWalk(seed: number, length: number, nanShare = 0): Curve {
  const rng = split(seed, "walk");
  let x = 0;
  const values = Array.from({ length }, () => {
    x += rng.normal() * 0.1;
    if (rng.next() < nanShare) return [NaN, Infinity, -Infinity][rng.int(3)] ?? NaN;
    return rng.next() < 0.01 ? x + 3 * rng.normal() : x;
  });
  return curve(values);
}

describe("downsample", () => {
  it("returns short curves whole", () => {
    const short = curve([1, NaN, 3]);
    expect(downsample(short, 10)).toEqual(short);
  });

  it("keeps neighbouring spikes of both signs, where triangle methods lose one", () => {
    const values = Array.from({ length: 1002 }, (_, i) => (i === 505 ? 10 : i === 507 ? -9 : 0));
    const { values: drawn } = downsample(curve(values), 20);
    expect([Math.max(...drawn), Math.min(...drawn)]).toEqual([10, -9]);
  });

  it.each(Array.from({ length: 20 }, (_, seed) => seed))("draws the extremes of every bucket, seed %i", (seed) => {
    const walk = makeWalk(seed, 5000, seed % 2 === 0 ? 0 : 0.02);
    const maxPoints = 400;
    const drawn = downsample(walk, maxPoints);
    const kept = new Map(Array.from(drawn.iterations, (iteration, i) => [iteration, drawn.values[i] ?? NaN]));
    const numBuckets = maxPoints / 4;
    for (let bucket = 0; bucket < numBuckets; bucket++) {
      const inside = (iteration: number) => Math.floor((iteration * numBuckets) / 5000) === bucket;
      const all = [...walk.values].filter((x, i) => inside(i) && Number.isFinite(x));
      const few = [...kept].filter(([iteration, x]) => inside(iteration) && Number.isFinite(x)).map(([, x]) => x);
      expect([Math.min(...few), Math.max(...few)]).toEqual([Math.min(...all), Math.max(...all)]);
    }
    expect([...drawn.iterations]).toEqual([...new Set(drawn.iterations)].sort((a, b) => a - b));
    expect([drawn.iterations[0], drawn.iterations.at(-1)]).toEqual([0, 4999]);
    expect(drawn.values.length).toBeLessThanOrEqual((maxPoints / 4) * 7);
    expect(downsample(walk, maxPoints)).toEqual(drawn);
  });

  it("breaks the line at a gap", () => {
    const values = Array.from({ length: 2000 }, (_, i) => (i >= 900 && i < 1100 ? NaN : i));
    values[1500] = -Infinity;
    const drawn = downsample(curve(values), 100);
    const around = Array.from(drawn.iterations, (iteration, i) => [iteration, drawn.values[i]] as const);
    expect(around.some(([iteration, x]) => iteration >= 900 && iteration < 1100 && Number.isNaN(x))).toBe(true);
    expect([...drawn.values].every((x) => Number.isFinite(x) || Number.isNaN(x))).toBe(true);
  });
});
