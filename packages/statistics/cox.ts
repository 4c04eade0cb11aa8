import { groupBy } from "#packages/base";
import { dot } from "./panels.ts";
import { chiSquareQuantile, chiSquareUpperTail } from "./distributions.ts";
import type { Interval } from "./rates.ts";
import type { Duration } from "./survival.ts";
import { addOuter, invert } from "./symmetric.ts";

/** A run's duration with covariates x: (P,). Risk sets are formed within strata, each with its own baseline hazard. */
export type CoxUnit = { duration: Duration; stratum: string; x: readonly number[] };

/** A log hazard ratio, with p-value and interval by profile penalised likelihood. */
export type CoxTerm = { coefficient: number; interval: Interval; p: number };

/** Risk set at a time with an event: numbers at risk and of events per pattern of covariates. */
type RiskSet = { patterns: readonly { x: readonly number[]; atRisk: number; events: number }[] };

const maxSteps = 60;
const tolerance = 1e-8;
/** Maximum change of a coefficient (a log hazard ratio) in one step of Newton's method. */
const longestStep = 2;

/**
 * Fits Cox regression with Efron's method for ties and Firth's penalty (Heinze & Schemper, Biometrics 57, 2001). The
 * penalty keeps estimates finite if a group has no event; without it, the usual partial likelihood is maximised.
 * @returns undefined if no covariate differs at any event, or if the iterations do not converge
 */
export function fitCox(units: readonly CoxUnit[], { isPenalised = true } = {}): readonly CoxTerm[] | undefined {
  const sets = toRiskSets(units);
  const model = makeModel(sets, isPenalised);
  const start = (units[0]?.x ?? []).map(() => 0);
  const all = start.map((_, j) => j);
  const best = maximise(model, start, all);
  return best && all.map((j) => profile(model, best, j));
}

type Likelihood = { logLikelihood: number; score: number[]; information: number[][] };
type Model = (coefficients: readonly number[]) => Likelihood | undefined;
type Fit = { coefficients: readonly number[]; logLikelihood: number };

/** Penalised likelihood and its gradient; undefined if covariates are collinear. */
function makeModel(sets: readonly RiskSet[], isPenalised: boolean): Model {
  return (coefficients) => {
    const { deviations, ...found } = evaluate(sets, coefficients);
    const inverted = invert(found.information);
    if (!inverted || !isPenalised) return inverted && found;
    const { inverse, logDeterminant } = inverted;
    const score = [...found.score];
    // Derivative of the penalty, half of tr(I⁻¹ ∂I/∂β). The information I is a sum of variances, whose derivatives are
    // third moments.
    for (const { share, deviation } of deviations) {
      const size = dot(
        deviation,
        inverse.map((row) => dot(row, deviation)),
      );
      for (const [j, x] of deviation.entries()) score[j] = (score[j] ?? 0) + (share * size * x) / 2;
    }
    return { ...found, logLikelihood: found.logLikelihood + logDeterminant / 2, score };
  };
}

/** Newton's method, whose steps are halved until the likelihood does not decrease. Only `free` coefficients vary. */
function maximise(model: Model, start: readonly number[], free: readonly number[]): Fit | undefined {
  let coefficients = start;
  let now = model(coefficients);
  for (let step = 0; now && step < maxSteps; step++) {
    const { logLikelihood } = now;
    const move = moveOf(model, { coefficients, now, free });
    const largest = Math.max(0, ...move.map(Math.abs));
    if (largest < tolerance) return { coefficients, logLikelihood };
    let scale = Math.min(1, longestStep / largest);
    let next = shift(coefficients, move, scale);
    let then = model(next);
    // A drop of the likelihood by less than 1e-10 is rounding error and does not halve the step.
    while (!(then && then.logLikelihood >= logLikelihood - 1e-10) && scale * largest > tolerance) {
      scale /= 2;
      next = shift(coefficients, move, scale);
      then = model(next);
    }
    coefficients = next;
    now = then;
  }
  return undefined;
}

function shift(coefficients: readonly number[], move: readonly number[], scale: number): number[] {
  return coefficients.map((x, j) => x + scale * (move[j] ?? 0));
}

type At = { coefficients: readonly number[]; now: Likelihood; free: readonly number[] };

const smallStep = 1e-5;

/** Newton step of the free coefficients; by the information matrix if the curvature is not negative definite. */
function moveOf(model: Model, { coefficients, now, free }: At): number[] {
  const scoreAt = (j: number, by: number) => model(shift(coefficients, unit(coefficients.length, j), by))?.score ?? [];
  const slopes = free.map((j) => {
    const [before, after] = [scoreAt(j, -smallStep), scoreAt(j, smallStep)];
    return free.map((i) => ((before[i] ?? NaN) - (after[i] ?? NaN)) / (2 * smallStep));
  });
  const curvature = slopes.map((row, i) => row.map((x, j) => (x + (slopes[j]?.[i] ?? NaN)) / 2));
  const information = free.map((i) => free.map((j) => now.information[i]?.[j] ?? NaN));
  const inverse = (invert(curvature) ?? invert(information))?.inverse;
  const score = free.map((j) => now.score[j] ?? NaN);
  return coefficients.map((_, j) => (free.includes(j) ? dot(inverse?.[free.indexOf(j)] ?? [], score) : 0));
}

function unit(size: number, j: number): number[] {
  return Array.from({ length: size }, (_, k) => (k === j ? 1 : 0));
}

/**
 * Returns coefficient j with its profile likelihood interval. At the limits, with the other coefficients refitted,
 * twice the drop of the log-likelihood equals the χ² quantile. p tests if the coefficient is 0.
 */
function profile(model: Model, best: Fit, j: number): CoxTerm {
  const free = best.coefficients.flatMap((_, k) => (k === j ? [] : [k]));
  const coefficient = best.coefficients[j] ?? NaN;
  /** Twice the drop of the log-likelihood at a value of coefficient j; each fit starts from the previous one. */
  const walk = () => {
    let last = best.coefficients;
    return (value: number): number => {
      const fit = maximise(
        model,
        last.map((x, k) => (k === j ? value : x)),
        free,
      );
      if (!fit) return NaN;
      last = fit.coefficients;
      return 2 * (best.logLikelihood - fit.logLikelihood);
    };
  };
  const [low = NaN, high = NaN] = [-1, 1].map((direction) => {
    const fallAt = walk();
    return findEnd((width) => fallAt(coefficient + direction * width));
  });
  const fallToNothing = walk();
  const steps = [0.75, 0.5, 0.25, 0].map((share) => fallToNothing(share * coefficient));
  return {
    coefficient,
    interval: { low: coefficient - low, high: coefficient + high },
    p: chiSquareUpperTail(Math.max(0, steps.at(-1) ?? NaN), 1),
  };
}

/** Distance at which twice the drop reaches the χ² quantile; Infinity if never, NaN if not computable. */
function findEnd(fallAt: (width: number) => number): number {
  const limit = chiSquareQuantile(0.95, 1);
  let [low, high] = [0, 0.5];
  let [fallAtLow, fall] = [0, fallAt(high)];
  while (fall < limit) {
    if (high > 60) return Infinity;
    [low, fallAtLow] = [high, fall];
    high += Math.min(2, high);
    fall = fallAt(high);
  }
  let [below, above] = [fallAtLow - limit, fall - limit];
  // Secant steps (Illinois rule): the value of a bracket end that stays fixed is halved, so that both ends converge.
  for (let step = 0; step < 60 && high - low > 1e-6 && !Number.isNaN(above); step++) {
    const middle = high - (above * (high - low)) / (above - below);
    const excess = fallAt(middle) - limit;
    if (Math.abs(excess) < 1e-7) return middle;
    if (excess < 0) [low, below, above] = [middle, excess, above / 2];
    else [high, above, below] = [middle, excess, below / 2];
  }
  return Number.isNaN(above) ? NaN : (low + high) / 2;
}

/** Share of a pattern in the hazard of the runs at risk; deviation from their mean pattern, (P,). */
type Deviation = { share: number; deviation: readonly number[] };

/** Efron's log partial likelihood, gradient (P,), information (P, P), and the deviations that it is made of. */
function evaluate(
  sets: readonly RiskSet[],
  coefficients: readonly number[],
): Likelihood & { deviations: readonly Deviation[] } {
  const score = coefficients.map(() => 0);
  const information = coefficients.map(() => coefficients.map(() => 0));
  const deviations: Deviation[] = [];
  let logLikelihood = 0;
  for (const { patterns } of sets) {
    const hazards = patterns.map(({ x }) => Math.exp(dot(x, coefficients)));
    const numEvents = patterns.reduce((sum, { events }) => sum + events, 0);
    const ended = coefficients.map((_, j) => patterns.reduce((sum, { x, events }) => sum + events * (x[j] ?? 0), 0));
    logLikelihood += dot(ended, coefficients);
    for (let tied = 0; tied < numEvents; tied++) {
      // Efron's correction: each tied event sees a risk set that a fraction of the ties has already left.
      const weights = patterns.map(
        ({ atRisk, events }, i) => (atRisk - (tied / numEvents) * events) * (hazards[i] ?? 0),
      );
      const total = weights.reduce((sum, weight) => sum + weight, 0);
      const mean = coefficients.map(
        (_, j) => patterns.reduce((sum, { x }, i) => sum + (weights[i] ?? 0) * (x[j] ?? 0), 0) / total,
      );
      logLikelihood -= Math.log(total);
      for (const [j, value] of mean.entries()) score[j] = (score[j] ?? 0) + (ended[j] ?? 0) / numEvents - value;
      for (const [i, { x }] of patterns.entries()) {
        const share = (weights[i] ?? 0) / total;
        const deviation = x.map((value, j) => value - (mean[j] ?? 0));
        addOuter(information, deviation, share);
        deviations.push({ share, deviation });
      }
    }
  }
  return { logLikelihood, score, information, deviations };
}

/** Makes one risk set per stratum and event time. */
function toRiskSets(units: readonly CoxUnit[]): RiskSet[] {
  return [...groupBy(units, ({ stratum }) => stratum).values()].flatMap((members) => {
    const patterns = [...groupBy(members, ({ x }) => x.join(" ")).values()];
    const times = [...new Set(members.flatMap(({ duration }) => (duration.isEvent ? [duration.time] : [])))];
    return times.map((time) => ({
      patterns: patterns.map((some) => ({
        x: some[0]?.x ?? [],
        atRisk: some.filter(({ duration }) => duration.time >= time).length,
        events: some.filter(({ duration }) => duration.isEvent && duration.time === time).length,
      })),
    }));
  });
}
