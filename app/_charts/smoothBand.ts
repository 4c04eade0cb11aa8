import { smooth } from "#server/domain/series/smooth.ts";

/** Mean and half-width of a band, each smoothed; where there is no half-width there stays none. */
export function smoothBand(
  means: readonly number[],
  stds: readonly (number | null)[],
  weight: number,
): { values: number[]; spreads: (number | null)[] } {
  const spreads = smooth(
    Float64Array.from(stds, (std) => std ?? Number.NaN),
    weight,
  );
  return {
    values: [...smooth(Float64Array.from(means), weight)],
    spreads: [...spreads].map((spread) => (Number.isFinite(spread) ? spread : null)),
  };
}
