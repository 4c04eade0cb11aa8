import type { Part } from "#server/domain/findings/sides.ts";

/** Largest absolute value of some differences and their intervals; undefined if none is known. */
export function findReach(parts: readonly Pick<Part, "difference" | "interval">[]): number | undefined {
  const ends = parts.flatMap(({ difference, interval }) => [difference, interval.low, interval.high]);
  const reach = Math.max(0, ...ends.filter(Number.isFinite).map(Math.abs));
  return reach > 0 ? reach : undefined;
}
