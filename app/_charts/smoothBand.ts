import { smooth } from "#server/domain/series/smooth.ts";

type Band = {
  values: readonly number[];
  lows: readonly (number | null)[];
  highs: readonly (number | null)[];
  counts: readonly number[];
};

/**
 * A band's curve and edges, each smoothed; where there is no edge there stays none. The average begins anew where seeds
 * enter or leave the mean: a mean of others has no past.
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
