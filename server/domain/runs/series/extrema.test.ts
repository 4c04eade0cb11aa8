import { describe, expect, it } from "vitest";
import { split, type Rng } from "#trainer/spec/rng.ts";
import { alignSeeds, groupSeeds } from "./alignSeeds.ts";
import { makeCharts, maxMarks } from "./makeCharts.ts";
import type { Series } from "#packages/statistics";

const key = "loss/total";

/** Makes a realistic sweep: runs of different lengths and logging intervals, spikes, gaps, non-finite values. */
function makeSweep(rng: Rng) {
  const cells = Array.from({ length: 1 + rng.int(3) }, (_, cellId) => ({
    cellId,
    runIds: Array.from({ length: 1 + rng.int(4) }, (_, seed) => `${cellId}-${seed}`),
  }));
  const spoilt = rng.next() < 0.2 ? 0.4 : 0.01;
  const series = cells.flatMap(({ runIds }) => {
    const cadence = 1 + rng.int(3);
    return runIds.map((runId): Series => {
      const length = 1 + rng.int(1500);
      const kept = Array.from({ length }, (_, i) => i * cadence).filter(() => rng.next() > 0.02);
      return {
        runId,
        key,
        iterations: Int32Array.from(kept),
        values: Float64Array.from(kept, () => drawValue(rng, spoilt)),
      };
    });
  });
  return { cells, series };
}

function drawValue(rng: Rng, spoilt: number): number {
  if (rng.next() < spoilt) return [NaN, Infinity, -Infinity][rng.int(3)] ?? NaN;
  const spike = rng.next() < 0.003 ? 1000 * (rng.next() - 0.5) : 0;
  return rng.next() - 0.5 + spike;
}

/** Finite values per bucket of equal width in iterations, with the same buckets as in downsampling. */
function bucketsOf(iterations: ArrayLike<number>, values: ArrayLike<number>, numBuckets: number): number[][] {
  const first = iterations[0] ?? 0;
  const width = ((iterations[iterations.length - 1] ?? 0) - first + 1) / numBuckets;
  const buckets = Array.from({ length: numBuckets + 1 }, (): number[] => []);
  for (let i = 0; i < iterations.length; i++) {
    const value = values[i] ?? NaN;
    if (Number.isFinite(value)) buckets[Math.floor(((iterations[i] ?? 0) - first) / width)]?.push(value);
  }
  return buckets.filter(({ length }) => length > 0);
}

function isInside(iteration: number, range: { from: number; to: number } | null): boolean {
  return !range || (iteration >= range.from && iteration <= range.to);
}

function expectExtremes(drawn: readonly number[], buckets: readonly number[][]): void {
  const has = new Set(drawn);
  for (const bucket of buckets) {
    expect(has.has(Math.min(...bucket))).toBe(true);
    expect(has.has(Math.max(...bucket))).toBe(true);
  }
}

describe("no chart query", () => {
  it.each(Array.from({ length: 40 }, (_, i) => i))("loses an extremum or a non-finite point, sweep %i", (seed) => {
    const rng = split(seed, "extrema");
    const { cells, series } = makeSweep(rng);
    const maxPoints = [8, 16, 50, 200, 800, 3000][rng.int(6)] ?? 800;
    const from = rng.int(800);
    const range = rng.next() < 0.5 ? null : { from, to: from + rng.int(2000) };
    const [chart] = makeCharts(series, {
      cells,
      keys: [key],
      options: { aggregate: "std", seeds: true, maxPoints, range },
    });
    const inside = series.map(({ runId, iterations, values }): Series => {
      const kept = [...iterations.keys()].filter((i) => isInside(iterations[i] ?? 0, range));
      return {
        runId,
        key,
        iterations: Int32Array.from(kept, (i) => iterations[i] ?? 0),
        values: Float64Array.from(kept, (i) => values[i] ?? NaN),
      };
    });

    for (const { runId, iterations, values } of inside) {
      const line = chart?.lines.find((one) => one.runId === runId);
      const numBuckets = Math.max(1, Math.floor(maxPoints / 4));
      expectExtremes(line?.values ?? [], bucketsOf(iterations, values, numBuckets));
    }
    for (const { cellId, runIds } of cells) {
      const { iterations, ...seeds } = alignSeeds(series.filter(({ runId }) => runIds.includes(runId)));
      const { mean } = groupSeeds({ iterations, ...seeds });
      const shown = [...iterations.keys()].filter((i) => isInside(iterations[i] ?? 0, range));
      const band = chart?.bands.find((one) => one.cellId === cellId);
      const numBuckets = Math.max(1, Math.floor(maxPoints / 8));
      expectExtremes(
        band?.values ?? [],
        bucketsOf(
          shown.map((i) => iterations[i] ?? 0),
          shown.map((i) => mean[i] ?? NaN),
          numBuckets,
        ),
      );
    }

    const lost = inside.flatMap(({ runId, iterations, values }) =>
      [...values].flatMap((value, i) => (Number.isFinite(value) ? [] : [`${runId} ${iterations[i]}`])),
    );
    const marked = (chart?.nonFinite ?? []).map(({ runId, iteration }) => `${runId} ${iteration}`);
    expect(marked).toEqual(lost.slice(0, maxMarks));
    expect(chart?.numUnlisted).toBe(Math.max(0, lost.length - maxMarks));
  });
});
