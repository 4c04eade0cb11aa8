import { smooth } from "#server/domain/runs/series/smooth.ts";

type Band = {
  values: readonly number[];
  lows: readonly (number | null)[];
  highs: readonly (number | null)[];
  counts: readonly number[];
};

/**
 * Smooths a band's mean and edges; missing edges stay missing. The average restarts when seeds enter or leave the mean, because a mean over other
 * seeds has no past.
 */
export function smoothBand({ values, lows, highs, counts }: Band, weight: number) {
  const starts = counts.flatMap((count, i) => (i === 0 || count !== counts[i - 1] ? [i] : []));
  const smoothEach = (column: Float64Array) =>
    starts.flatMap((start, i) => [...smooth(column.subarray(start, starts[i + 1]), weight)]);
  const smoothEdge = (edge: readonly (number | null)[]) =>
    smoothEach(Float64Array.from(edge, toNumber)).map((x) => (Number.isFinite(x) ? x : null));
  return { values: smoothEach(Float64Array.from(values)), lows: smoothEdge(lows), highs: smoothEdge(highs) };
}

function toNumber(edge: number | null): number {
  return edge ?? Number.NaN;
}
