import { smooth } from "#server/domain/series/smooth.ts";

type Band = { values: readonly number[]; lows: readonly (number | null)[]; highs: readonly (number | null)[] };

/** A band's curve and edges, each smoothed; where there is no edge there stays none. */
export function smoothBand({ values, lows, highs }: Band, weight: number) {
  const smoothEdge = (edge: readonly (number | null)[]) =>
    [...smooth(Float64Array.from(edge, toNumber), weight)].map((x) => (Number.isFinite(x) ? x : null));
  return {
    values: [...smooth(Float64Array.from(values), weight)],
    lows: smoothEdge(lows),
    highs: smoothEdge(highs),
  };
}

function toNumber(edge: number | null): number {
  return edge ?? Number.NaN;
}
