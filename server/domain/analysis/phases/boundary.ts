import type { PhaseAxis } from "./axis.ts";
import { phaseFeatures, type Axes } from "./features.ts";
import { predictLogOdds, type LogisticFit } from "./firth.ts";

type Point = readonly [x: number, y: number];

/**
 * Line of 50 % collapse probability in a phase diagram, and the band around it in which the 95 % confidence interval
 * includes 50 %. Coordinates are level indices.
 */
export type Boundary = {
  /** Polylines that form the line of 50 % collapse probability. */
  lines: readonly (readonly Point[])[];
  /** Rectangles that form the band, in level indices. */
  band: readonly { x: number; y: number; width: number; height: number }[];
};

/** Number of grid steps, for drawing, between two neighbouring levels. */
const fineness = 12;
const reach = 1.959964;

/**
 * Computes the line along which the fitted collapse probability is 50 %, and its band (Fieller's confidence region).
 * The band contains all positions where the 95 % interval of the log-odds contains 0.
 */
export function drawBoundary(axes: Axes, fit: LogisticFit): Boundary {
  const [columns, rows] = [stepsOf(axes.x), stepsOf(axes.y)];
  const step = 1 / fineness;
  const odds = rows.map((y) => columns.map((x) => predictLogOdds(fit, phaseFeatures(axes, x, y))));
  const band = rows.flatMap((y, r) =>
    runsOf(columns.map((_, c) => isEven(odds[r]?.[c]))).map(([from, to]) => ({
      x: (columns[from] ?? 0) - step / 2,
      y: y - step / 2,
      width: (to - from + 1) * step,
      height: step,
    })),
  );
  return { lines: traceLines(axes, fit), band };
}

function isEven(at: { logOdds: number; standardError: number } | undefined): boolean {
  return at !== undefined && Math.abs(at.logOdds) <= reach * at.standardError;
}

/** Returns the midpoints of the grid steps over all levels of an axis, as level indices. */
function stepsOf({ levels }: PhaseAxis): number[] {
  return Array.from({ length: levels.length * fineness }, (_, i) => (i + 0.5) / fineness - 0.5);
}

/** Returns the first and last index of each block of consecutive `true` values. */
function runsOf(flags: readonly boolean[]): [number, number][] {
  const found: [number, number][] = [];
  for (const [i, flag] of flags.entries()) {
    const last = found.at(-1);
    if (flag && last && last[1] === i - 1) last[1] = i;
    else if (flag) found.push([i, i]);
  }
  return found;
}

/**
 * Traces the line of 50 % collapse probability: takes positions along one axis and solves for the position on the
 * other. The solved axis is the one with the larger effect on the odds, or the only numeric axis.
 */
function traceLines(axes: Axes, fit: LogisticFit): Point[][] {
  const { x, y } = axes;
  const [ofX, ofY] = [fit.coefficients[1] ?? 0, fit.coefficients.at(-1) ?? 0];
  const solvesX = !y.coordinates || (x.coordinates !== undefined && Math.abs(ofX) >= Math.abs(ofY));
  const [followed, solved] = solvesX ? [y, x] : [x, y];
  const oddsAt = (along: number, at: number) =>
    predictLogOdds(fit, solvesX ? phaseFeatures(axes, at, along) : phaseFeatures(axes, along, at)).logOdds;
  const lines: Point[][] = [];
  let before: number | undefined;
  for (const along of followedPositions(followed)) {
    const at = findRoot((position) => oddsAt(along, position), [-0.5, solved.levels.length - 0.5]);
    const isNewName = followed.coordinates === undefined && Math.round(along) !== Math.round(before ?? along);
    if (at !== undefined) {
      if (before === undefined || isNewName) lines.push([]);
      lines.at(-1)?.push(solvesX ? [at, along] : [along, at]);
    }
    before = at === undefined ? undefined : along;
  }
  return lines.filter((line) => line.length > 1);
}

/** Returns the positions on the axis that is not solved for. For names these are the edges of each diagram cell. */
function followedPositions({ levels, coordinates }: PhaseAxis): number[] {
  if (!coordinates) return levels.flatMap((_, i) => [i - 0.499, i + 0.499]);
  return Array.from({ length: levels.length * fineness + 1 }, (_, i) => i / fineness - 0.5);
}

/** Finds the root of a monotone function in an interval; undefined if there is none. */
function findRoot(at: (x: number) => number, [from, to]: Point): number | undefined {
  const atFrom = at(from);
  if (atFrom * at(to) > 0) return undefined;
  let [low, high] = [from, to];
  for (let i = 0; i < 40; i++) {
    const middle = (low + high) / 2;
    if (at(middle) * atFrom > 0) low = middle;
    else high = middle;
  }
  return (low + high) / 2;
}
