import { fUpperTail, holm, type Interval, mean, spreadOf, squaresWithin, wilsonInterval } from "#packages/statistics";
import { groupBy } from "#packages/base";
import { allButMethod } from "../claims/settings.ts";
import { type FactorName, standardiseRuns, type StudiedRun } from "../claims/studiedRun.ts";
import { describeDesign, type DesignReport } from "./aliases.ts";
import { type ErrorTerm, termSpaces } from "./spaces.ts";
import { describeTerm, type Levels, main, type Observation, type Term } from "./design.ts";
import { type Estimate, leastSquaresMeans } from "./effects.ts";
import { dimensionFactors, factorLevels } from "#server/domain/plan/sweep/methods/factorLevels.ts";
import { fitDesign } from "./fit.ts";
import { type NextCell, rankNextCells, untestedPoints } from "./nextCells.ts";
import { paretoFront, probabilityOnFront } from "./pareto.ts";
import { permutationAnova } from "./permutationAnova.ts";
import { varianceShares, type VarianceShares } from "./shares.ts";

export type LevelEffect = {
  level: string;
  numRuns: number;
  estimate: Estimate;
  values: readonly number[];
};

export type InteractionGrid = {
  factors: readonly [FactorName, FactorName];
  rows: readonly string[];
  columns: readonly string[];
  /** Mean outcome by levels of both factors; null if no run has this combination. */
  cells: readonly (readonly ({ mean: number; n: number } | null)[])[];
};

export type ParetoMethod = {
  method: string;
  n: number;
  /** Mean outcome in the unit of the effects: z-scores if there are several environments. */
  performance: number;
  /** 95 % t interval of `performance` over runs; null with fewer than three runs. */
  interval: Interval | null;
  /** 1 − collapse rate, from the hindsight labels. */
  stability: number;
  stabilityInterval: Interval;
  isOnFront: boolean;
  probability: number;
};

export type EffectsReport = {
  numRuns: number;
  numLeftOut: number;
  /** Unit of the outcome values: z-scores within each environment if there are several. */
  unit: "metric" | "z";
  levels: readonly { factor: FactorName; levels: readonly string[] }[];
  /**
   * Maximum number of configurations in an environment that differ in settings besides the method. If it exceeds one,
   * effects may be due to those settings.
   */
  numSettings: number;
  design: DesignReport | null;
  /** Dimensions excluded from the model because they are aliased with others. */
  aliased: readonly FactorName[];
  /** F and p are NaN if all runs have the same value. */
  effects: readonly { factor: FactorName; levels: readonly LevelEffect[]; f: number; permutationP: number }[];
  /** Null if all values are equal. */
  shares: VarianceShares | null;
  interactions: readonly InteractionGrid[];
  pareto: readonly ParetoMethod[];
  next: readonly NextCell[];
};

/**
 * Estimates effects of the four method dimensions. The report begins with the design, which limits the effects that can
 * be estimated.
 */
export function reportEffects(all: readonly StudiedRun[]): EffectsReport {
  const measured = all.filter(({ value }) => Number.isFinite(value));
  const environments = new Set(measured.map(({ environment }) => environment));
  const isPooled = environments.size > 1;
  const runs = isPooled ? standardiseRuns(measured) : measured;
  const varied = dimensionFactors.filter((factor) => new Set(runs.map(({ levels }) => levels[factor])).size > 1);
  const observations = runs.map(({ value, levels, environment, cell }): Observation => {
    return { value, cell, levels: { ...levels, ...(isPooled && { environment }) } };
  });
  const terms = [...(isPooled ? [main("environment")] : []), ...varied.map(main)];
  const levels = dimensionFactors.map((factor) => ({
    factor,
    levels: [...new Set(runs.map((run) => run.levels[factor]))],
  }));
  const pareto = toPareto(runs);
  const empty = {
    numRuns: runs.length,
    numLeftOut: all.length - runs.length,
    unit: isPooled ? "z" : "metric",
    numSettings: countSettings(runs),
  } as const;
  if (varied.length === 0 || runs.length < 3) {
    const nothing = { aliased: [], effects: [], interactions: [], next: [] };
    return { ...empty, ...nothing, levels, design: null, shares: null, pareto };
  }
  const tested = uniqueCells(observations);
  const modelled = dropAliased(tested, terms, varied);
  const factors = varied.filter((factor) => modelled.some((term) => describeTerm(term) === factor));
  const [environment] = environments;
  const candidates = untestedPoints(runs.map(({ point }) => point)).map((point): Levels => {
    return { ...factorLevels(point), ...(isPooled && environment !== undefined && { environment }) };
  });
  return {
    ...empty,
    levels,
    design: describeDesign(tested, terms),
    aliased: varied.filter((factor) => !factors.includes(factor)),
    effects: estimateEffects(observations, modelled, factors),
    shares: hasSpread(observations) ? varianceShares(observations, modelled, { numResamples: 100 }) : null,
    interactions: pairs(varied).map((factors) => toGrid(observations, factors)),
    pareto,
    next: rankNextCells(tested, candidates.slice(0, maxCandidates), { terms }).slice(0, 5),
  };
}

/** Removes the terms of aliased dimensions. The last of two aliased dimensions remains. */
function dropAliased(
  tested: readonly Levels[],
  terms: readonly Term[],
  varied: readonly FactorName[],
): readonly Term[] {
  const aliased = varied.filter((factor) => !canTell(tested, terms, factor));
  return aliased.reduce<readonly Term[]>(
    (left, factor) => (canTell(tested, left, factor) ? left : left.filter((term) => describeTerm(term) !== factor)),
    terms,
  );
}

function estimateEffects(
  observations: readonly Observation[],
  terms: readonly Term[],
  factors: readonly FactorName[],
): EffectsReport["effects"] {
  const isPooled = terms.some((term) => describeTerm(term) === "environment");
  const fit = fitDesign(observations, terms);
  const anova = analyseVariance(observations, terms);
  const permuted = permutationAnova(observations, terms, {
    numPermutations: 500,
    ...(isPooled && { blockFactor: "environment" }),
  });
  const isVaried = hasSpread(observations);
  return factors.map((factor) => ({
    factor,
    f: (isVaried ? anova.rows.find(({ term }) => term === factor)?.f : undefined) ?? NaN,
    permutationP: (isVaried ? permuted.find(({ term }) => term === factor)?.p : undefined) ?? NaN,
    levels: leastSquaresMeans(fit, factor, { numResamples: 1000 }).map(({ level, numRuns, estimate }) => ({
      level,
      numRuns,
      estimate,
      values: observations.filter((run) => run.levels[factor] === level).map(({ value }) => value),
    })),
  }));
}

function countSettings(runs: readonly StudiedRun[]): number {
  const byEnvironment = [...groupBy(runs, ({ environment }) => environment).values()];
  return Math.max(0, ...byEnvironment.map((alike) => new Set(alike.map(allButMethod)).size));
}

/** True if values differ between runs; otherwise fractions of their variance are undefined. */
function hasSpread(observations: readonly Observation[]): boolean {
  const [first] = observations;
  return (
    first !== undefined && observations.some(({ value }) => Math.abs(value - first.value) > 1e-12 * Math.abs(value))
  );
}

/** True if a dimension has an effect that is not aliased with other terms. */
function canTell(cells: readonly Levels[], terms: readonly Term[], factor: string): boolean {
  const found = describeDesign(cells, terms).terms.find(({ term }) => term === factor);
  return found === undefined || found.separableDegrees > 0;
}

/**
 * Lists distinct combinations of levels: aliases do not depend on seeds, and checking hundreds of runs would take
 * seconds.
 */
function uniqueCells(observations: readonly Observation[]): Levels[] {
  return [...new Map(observations.map(({ levels }) => [JSON.stringify(levels), levels])).values()];
}

/** Maximum number of ranked candidates; the design matrix is decomposed once for each. */
const maxCandidates = 40;

function pairs(factors: readonly FactorName[]): [FactorName, FactorName][] {
  return factors.flatMap((a, i) => factors.slice(i + 1).map((b): [FactorName, FactorName] => [a, b]));
}

function toGrid(observations: readonly Observation[], factors: readonly [FactorName, FactorName]): InteractionGrid {
  const [a, b] = factors;
  const levelsOf = (factor: FactorName) => [...new Set(observations.map(({ levels }) => levels[factor] ?? ""))];
  const [rows, columns] = [levelsOf(a), levelsOf(b)];
  return {
    factors,
    rows,
    columns,
    cells: rows.map((row) =>
      columns.map((column) => {
        const values = observations
          .filter(({ levels }) => levels[a] === row && levels[b] === column)
          .map(({ value }) => value);
        return values.length === 0 ? null : { mean: mean(values), n: values.length };
      }),
    ),
  };
}

function toPareto(runs: readonly StudiedRun[]): ParetoMethod[] {
  const methods = [...new Set(runs.map(({ method }) => method))];
  const groups = methods.map((method) => runs.filter((run) => run.method === method));
  const points = groups.map((group) => group.map((run) => ({ x: run.value, y: run.hasCollapsed ? 0 : 1 })));
  const means = points.map((runPoints) => ({
    x: mean(runPoints.map(({ x }) => x)),
    y: mean(runPoints.map(({ y }) => y)),
  }));
  const front = new Set(paretoFront(means));
  const probabilities = probabilityOnFront(points, { numResamples: 1000 });
  return methods.map((method, i) => {
    const runPoints = points[i] ?? [];
    const stable = runPoints.filter(({ y }) => y === 1).length;
    return {
      method,
      n: runPoints.length,
      performance: means[i]?.x ?? NaN,
      interval: spreadOf(
        runPoints.map(({ x }) => x),
        { unit: "" },
      ).interval,
      stability: means[i]?.y ?? NaN,
      stabilityInterval: wilsonInterval(stable, runPoints.length),
      isOnFront: front.has(i),
      probability: probabilities[i] ?? NaN,
    };
  });
}

type AnovaRow = {
  term: string;
  squares: number;
  /** Degrees of freedom that no other term shares; 0 if the term is fully aliased. */
  df: number;
  f: number;
  p: number;
  /** p-value with Holm's correction over the model's terms. */
  correctedP: number;
  etaSquared: number;
  partialEtaSquared: number;
  omegaSquared: number;
};

type Anova = {
  /**
   * Type II: each term is adjusted for all terms that do not contain it. In unbalanced data the squares do not sum to
   * the total, unlike `varianceShares`.
   */
  type: "II";
  rows: readonly AnovaRow[];
  error: ErrorTerm;
  total: { squares: number; df: number };
};

/** Computes the analysis of variance of the runs' values. The error term is the variance of seeds within cells. */
export function analyseVariance(observations: readonly Observation[], terms: readonly Term[]): Anova {
  const values = observations.map(({ value }) => value);
  const spaces = termSpaces(observations, terms);
  const { error } = fitDesign(observations, terms);
  const centre = mean(values);
  const total = { squares: values.reduce((sum, x) => sum + (x - centre) ** 2, 0), df: values.length - 1 };
  const meanError = error.squares / error.df;
  const rows = spaces.map((basis, index) => {
    const squares = squaresWithin(basis, values);
    const df = basis.length;
    const f = squares / df / meanError;
    return {
      term: describeTerm(terms[index] ?? []),
      squares,
      df,
      f,
      p: df > 0 && error.df > 0 ? fUpperTail(f, df, error.df) : NaN,
      etaSquared: squares / total.squares,
      partialEtaSquared: squares / (squares + error.squares),
      omegaSquared: (squares - df * meanError) / (total.squares + meanError),
    };
  });
  const corrected = holm(rows.map(({ p }) => p));
  return { type: "II", rows: rows.map((row, i) => ({ ...row, correctedP: corrected[i] ?? NaN })), error, total };
}
