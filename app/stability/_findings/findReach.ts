import type { Part } from "#server/domain/findings/sides.ts";

/** The greatest distance from zero of some differences and their intervals; undefined where none of them is known. */
export function findReach(parts: readonly Pick<Part, "difference" | "interval">[]): number | undefined {
  const ends = parts.flatMap(({ difference, interval }) => [difference, interval.low, interval.high]);
  const reach = Math.max(0, ...ends.filter(Number.isFinite).map(Math.abs));
  return reach > 0 ? reach : undefined;
}
