import { fUpperTail, holm, mean, squaresWithin } from "#packages/statistics";
import { describeTerm, type Observation, type Term } from "./design.ts";
import { fitDesign } from "./fit.ts";
import { termSpaces, type ErrorTerm } from "./spaces.ts";

export type AnovaRow = {
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

export type Anova = {
  /**
   * Type II: each term adjusted for all terms that do not contain it. Sums of squares of unbalanced data do not add up;
   * variance fractions do.
   */
  type: "II";
  rows: readonly AnovaRow[];
  error: ErrorTerm;
  total: { squares: number; df: number };
};

/** Analysis of variance; the error is the variance of seeds within cells. */
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
