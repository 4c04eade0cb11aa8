import type { Method } from "#trainer/spec/method.ts";
import { dimensionFactors, factorLevels } from "#server/domain/plan/sweep/factorLevels.ts";

/**
 * Untested points of the grid spanned by the tested ones; each dimension is taken from the first tested point with that
 * level. Points that couplings turn into another one are excluded.
 */
export function untestedPoints(tested: readonly Method[]): Method[] {
  const known = new Set(tested.map(nameOf));
  const [first] = tested;
  if (!first) return [];
  let grid: Method[] = [first];
  for (const factor of dimensionFactors) {
    const examples = new Map<string, Method>();
    for (const point of tested) {
      const level = factorLevels(point)[factor];
      if (!examples.has(level)) examples.set(level, point);
    }
    grid = grid.flatMap((point) => [...examples.values()].map((example) => ({ ...point, [factor]: example[factor] })));
  }
  const fresh = new Map<string, Method>();
  for (const point of grid) {
    const name = nameOf(point);
    if (known.has(name) || fresh.has(name)) continue;
    fresh.set(name, point);
  }
  return [...fresh.values()];
}

/** Finds the point with these effective levels. */
export function findPoint(points: readonly Method[], levels: Readonly<Record<string, string>>): Method | undefined {
  return points.find((point) =>
    Object.entries(factorLevels(point)).every(([factor, level]) => levels[factor] === level),
  );
}

function nameOf(point: Method): string {
  return JSON.stringify(factorLevels(point));
}
