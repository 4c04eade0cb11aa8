import { mean } from "../statistics/summary.ts";
import type { Levels } from "./design.ts";

/** A cell's mean. */
export type CellMean = { levels: Levels; mean: number };

/**
 * Functional analysis of variance of a complete grid: how much of the variance of the cell means each set of factors
 * brings beyond its parts. Exact, so no forest is needed. By factor names joined with " × ".
 */
export function functionalVariances(cells: readonly CellMean[], factors: readonly string[]): Map<string, number> {
  const centre = mean(cells.map((cell) => cell.mean));
  const variances = new Map<string, number>();
  const sets = Array.from({ length: 2 ** factors.length }, (_, bits) => factors.filter((_, i) => bits & (2 ** i)));
  for (const set of sets.slice(1).sort((a, b) => a.length - b.length)) {
    const marginals = new Map<string, number[]>();
    for (const { levels, mean } of cells) {
      const key = JSON.stringify(set.map((factor) => levels[factor]));
      marginals.set(key, [...(marginals.get(key) ?? []), mean]);
    }
    const variance = mean([...marginals.values()].map((values) => (mean(values) - centre) ** 2));
    const ofParts = sets
      .filter((part) => part.length > 0 && part.length < set.length && part.every((factor) => set.includes(factor)))
      .reduce((sum, part) => sum + (variances.get(part.join(" × ")) ?? 0), 0);
    variances.set(set.join(" × "), variance - ofParts);
  }
  return variances;
}

export type OneAtATime = {
  /** Change of each factor alone, from the base. */
  changes: Readonly<Record<string, number>>;
  sum: number;
  /** Change of all together. */
  whole: number;
  /** What interactions add: invisible to anyone who changes one factor at a time. */
  missed: number;
};

/** What changing one factor at a time from a base would have found, beside what changing all does. NaN: no such cell. */
export function oneAtATime(cells: readonly CellMean[], base: Levels, to: Levels): OneAtATime {
  const at = (levels: Levels): number => cells.find((cell) => isSame(cell.levels, levels))?.mean ?? NaN;
  const changes = Object.fromEntries(
    Object.entries(to).map(([factor, level]) => [factor, at({ ...base, [factor]: level }) - at(base)]),
  );
  const sum = Object.values(changes).reduce((total, x) => total + x, 0);
  const whole = at({ ...base, ...to }) - at(base);
  return { changes, sum, whole, missed: whole - sum };
}

function isSame(a: Levels, b: Levels): boolean {
  return Object.entries(b).every(([factor, level]) => a[factor] === level);
}
