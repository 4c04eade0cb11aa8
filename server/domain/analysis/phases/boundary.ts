import { type Axes, type PhaseAxis, phaseFeatures } from "./axis.ts";
import { predictLogOdds, type LogisticFit } from "./firth.ts";

type Point = readonly [x: number, y: number];

/** Line of 50 % collapse probability, and the band whose 95 % interval includes 50 %, in level indices. */
export type Boundary = {
  lines: readonly (readonly Point[])[];
  band: readonly { x: number; y: number; width: number; height: number }[];
};

/** Grid steps between two neighbouring levels. */
const fineness = 12;
const reach = 1.959964;

/**
 * Computes the line of 50 % fitted collapse probability, and Fieller's confidence region: positions where the 95 %
 * interval of the log-odds contains 0.
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

/** Returns the midpoints of the grid steps, as level indices. */
function stepsOf({ levels }: PhaseAxis): number[] {
  return Array.from({ length: levels.length * fineness }, (_, i) => (i + 0.5) / fineness - 0.5);
}

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
 * Traces the line by solving for one axis at positions on the other: for the axis with the larger effect on the odds,
 * or the only numeric one.
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

/** Returns positions on the followed axis; for names, the edges of each diagram cell. */
function followedPositions({ levels, coordinates }: PhaseAxis): number[] {
  if (!coordinates) return levels.flatMap((_, i) => [i - 0.499, i + 0.499]);
  return Array.from({ length: levels.length * fineness + 1 }, (_, i) => i / fineness - 0.5);
}

/** Finds the root of a monotone function; undefined if there is none. */
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
