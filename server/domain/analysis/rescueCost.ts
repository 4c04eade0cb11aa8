import { formatCount, formatDuration, groupBy } from "#packages/base";
import { mean, normalQuantile, squaredDeviations, tQuantile, variance } from "#packages/statistics";

/** Branch of a rescue experiment, with its result and the cost of its training. */
export type CostedRun = {
  /** Identifier of the collapsed run that the branch continues. */
  origin: string;
  iteration: number;
  /** Change that the branch makes; `nothing` for an unchanged branch. */
  arm: string;
  /** Mean success in the branch's final window; NaN without an evaluation. */
  success: number;
  numIterations: number;
  /** Number of iterations of a whole run, as planned for the run that the branch continues. */
  numWhole: number;
  /** Wall time of the branch's iterations, as logged. */
  ms: number;
};

/** Differences of success between branches with one change and unchanged branches, averaged for each origin. */
export type ArmDifferences = { arm: string; differences: readonly number[] };

type Effort = { numRuns: number; numIterations: number; ms: number };

/**
 * Cost of rescue branches compared with that of independent whole runs with each change, as in ARLArena's Table 4.
 * The number of independent runs is chosen so that the intervals have equal width.
 */
export type RescueCost = {
  branches: Effort;
  /** Cost of the whole runs that the branches continue. */
  origins: Effort;
  independent: Effort;
  /** Number of independent runs needed per change: minimum and maximum over the changes. */
  perArm: { min: number; max: number };
};

/**
 * Compares the cost of rescue branches and independent runs. The interval of a change is the t interval over the
 * continued runs' differences, from the test that also gives the p-values. Null with fewer than two continued runs,
 * or without variance.
 */
export function compareCost(
  runs: readonly CostedRun[],
  unchanged: string,
  arms: readonly ArmDifferences[],
): RescueCost | null {
  const of = (arm: string): CostedRun[] => runs.filter((run) => run.arm === arm && Number.isFinite(run.success));
  const ofUnchanged = varianceOfRun(of(unchanged));
  const numbers = arms.flatMap(({ arm, differences }) => {
    const half = halfWidth(differences);
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
  // All changes are compared with the same unchanged runs, so the unchanged runs are counted once.
  const numRuns = max + sum(numbers);
  return {
    branches,
    origins: effort(wholes.length, sum(wholes)),
    independent: effort(numRuns, Math.round(numRuns * mean(wholes))),
    perArm: { min, max },
  };
}

/**
 * Estimates the variance of success between independent whole runs. It is the sum of the variances between and within
 * the runs that the branches continue. The method of moments uses residuals from the mean of the branches with equal
 * run and start iteration.
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

/** Returns the smallest number of runs per group for which the Welch interval has at most the half-width `half`. */
export function countIndependent([a, b]: readonly [number, number], half: number): number {
  const error = (n: number): number => Math.sqrt((a + b) / n);
  const df = (n: number): number => ((n - 1) * (a + b) ** 2) / (a ** 2 + b ** 2);
  if (a + b === 0) return 2;
  let n = Math.max(2, Math.ceil((normalQuantile(0.975) / half) ** 2 * (a + b)));
  while (tQuantile(0.975, df(n)) * error(n) > half) n++;
  return n;
}

function halfWidth(values: readonly number[]): number {
  if (values.length < 2) return NaN;
  return tQuantile(0.975, values.length - 1) * Math.sqrt(variance(values) / values.length);
}

function sum(values: readonly number[]): number {
  return values.reduce((total, x) => total + x, 0);
}

/** Describes the cost comparison in two sentences, for pages and tables. */
export function describeCost({ branches, origins, independent, perArm: { min, max } }: RescueCost): string {
  const each = min === max ? String(min) : `${min} to ${max}`;
  return `Cost of the experiment: ${write("branch", branches)}. Cost of the runs that the branches continue: ${write("run", origins)}. For equally narrow intervals, independent whole runs as in ARLArena's Table 4 would need about ${each} runs per change, in total ${write("run", independent)}.`;
}

function write(noun: "branch" | "run", { numRuns, numIterations, ms }: Effort): string {
  const time = Number.isFinite(ms) && ms > 0 ? `, ${formatDuration(ms)}` : "";
  const runs = noun === "run" ? formatCount(numRuns, noun) : formatCount(numRuns, noun, "branches");
  return `${runs} (${formatCount(numIterations, "iteration")}${time})`;
}
