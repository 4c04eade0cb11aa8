import { formatCount, formatDuration, groupBy } from "#packages/base";
import { mean, meanInterval, normalQuantile, squaredDeviations, tQuantile, variance } from "#packages/statistics";

export type CostedRun = {
  /** Collapsed run that the branch continues. */
  origin: string;
  iteration: number;
  /** `nothing` for an unchanged branch. */
  arm: string;
  /** Mean success in the final window; NaN without an evaluation. */
  success: number;
  numIterations: number;
  /** Planned iterations of the origin. */
  numWhole: number;
  /** Logged wall time of the iterations. */
  ms: number;
};

/** Differences of success from unchanged branches, averaged for each origin. */
export type ArmDifferences = { arm: string; differences: readonly number[] };

type Effort = { numRuns: number; numIterations: number; ms: number };

/**
 * Cost of branches, and of as many independent whole runs (as in ARLArena's Table 4) as give intervals of equal width.
 */
export type RescueCost = {
  branches: Effort;
  origins: Effort;
  independent: Effort;
  /** Runs needed per change: minimum and maximum over the changes. */
  perArm: { min: number; max: number };
};

/**
 * Compares costs. The interval of a change is the t interval over origins' differences. Null with fewer than two
 * origins, or without variance.
 */
export function compareCost(
  { all: runs, compared }: { all: readonly CostedRun[]; compared: readonly CostedRun[] },
  unchanged: string,
  arms: readonly ArmDifferences[],
): RescueCost | null {
  const of = (arm: string): CostedRun[] => compared.filter((run) => run.arm === arm && Number.isFinite(run.success));
  const ofUnchanged = varianceOfRun(of(unchanged));
  const numbers = arms.flatMap(({ arm, differences }) => {
    const half = meanInterval(differences).halfWidth;
    const variances = [varianceOfRun(of(arm)), ofUnchanged] as const;
    const isKnown = half > 0 && variances.every(Number.isFinite);
    return isKnown ? [countIndependent(variances, half)] : [];
  });
  if (numbers.length === 0) return null;
  const branches = {
    numRuns: runs.length,
    numIterations: sum(runs.map(({ numIterations }) => numIterations)),
    ms: sum(runs.map(({ ms }) => ms)),
  };
  const perIteration = branches.ms / branches.numIterations;
  const wholes = [...groupBy(runs, ({ origin }) => origin).values()].map(([first]) => first?.numWhole ?? NaN);
  const effort = (numRuns: number, numIterations: number): Effort => {
    return { numRuns, numIterations, ms: perIteration * numIterations };
  };
  const [min, max] = [Math.min(...numbers), Math.max(...numbers)];
  // All changes share the unchanged runs, which are counted once.
  const numRuns = max + sum(numbers);
  return {
    branches,
    origins: effort(wholes.length, sum(wholes)),
    independent: effort(numRuns, Math.round(numRuns * mean(wholes))),
    perArm: { min, max },
  };
}

/**
 * Estimates the variance of success between independent runs: between plus within origins. The method of moments uses
 * residuals from the mean of branches with equal origin and start.
 */
export function varianceOfRun(runs: readonly Pick<CostedRun, "origin" | "iteration" | "success">[]): number {
  const valuesOf = (some: typeof runs): number[] => some.map(({ success }) => success);
  const origins = [...groupBy(runs, ({ origin }) => origin).values()];
  const cells = origins.flatMap((own) => [...groupBy(own, ({ iteration }) => iteration).values()]);
  const df = sum(cells.map(({ length }) => length - 1));
  const within = sum(cells.map((cell) => squaredDeviations(valuesOf(cell)))) / df;
  const noise = within * mean(origins.map(({ length }) => 1 / length));
  return within + Math.max(0, variance(origins.map((own) => mean(valuesOf(own)))) - noise);
}

/** Returns the smallest group size whose Welch interval has at most this half-width. */
export function countIndependent([a, b]: readonly [number, number], half: number): number {
  const error = (n: number): number => Math.sqrt((a + b) / n);
  const df = (n: number): number => ((n - 1) * (a + b) ** 2) / (a ** 2 + b ** 2);
  if (a + b === 0) return 2;
  let n = Math.max(2, Math.ceil((normalQuantile(0.975) / half) ** 2 * (a + b)));
  while (tQuantile(0.975, df(n)) * error(n) > half) n++;
  return n;
}

function sum(values: readonly number[]): number {
  return values.reduce((total, x) => total + x, 0);
}

export function describeCost({ branches, origins, independent, perArm: { min, max } }: RescueCost): string {
  const each = min === max ? String(min) : `${min} to ${max}`;
  return `Cost of the experiment: ${write("branch", branches)}. Cost of the runs that the branches continue: ${write("run", origins)}. For equally narrow intervals, independent whole runs as in ARLArena's Table 4 would need about ${each} runs per change, in total ${write("run", independent)}.`;
}

function write(noun: "branch" | "run", { numRuns, numIterations, ms }: Effort): string {
  const time = Number.isFinite(ms) && ms > 0 ? `, ${formatDuration(ms)}` : "";
  const runs = noun === "run" ? formatCount(numRuns, noun) : formatCount(numRuns, noun, "branches");
  return `${runs} (${formatCount(numIterations, "iteration")}${time})`;
}
