import { describeMetric } from "#trainer/spec/metric.ts";
import { AppError, groupBy } from "#packages/base";
import { chooseMetric } from "./openingMetric.ts";
import type { LongRow } from "./longFormat.ts";

export type Score = Pick<LongRow, "seed" | "value" | "isCollapsed" | "numEvaluations">;

export type MethodScores = { method: string; scores: readonly Score[] };

/** One environment or sub-task, within which the methods are compared. */
export type PanelScores = { env: string; subtask: string; methods: readonly MethodScores[] };

export type Selection = { metric?: string; rule?: string };

export type Selected = {
  metric: string;
  rule: string;
  panels: readonly PanelScores[];
  /** Source of collapses: a column of the file, or comparing the final value with half of the best evaluation. */
  collapses: "column" | "halfOfBest" | "unknown";
  notes: readonly string[];
};

const preferredRule = "final-window";

/** Selects one metric and checkpoint rule, grouped by panel and method in the order of the file. */
export function selectPanels(rows: readonly LongRow[], selection: Selection): Selected {
  const metrics = [...new Set(rows.map(({ metric }) => metric))];
  const metric = choose("metric", metrics, { wanted: selection.metric, usual: chooseMetric(metrics) });
  const ofMetric = rows.filter((row) => row.metric === metric);
  const rules = [...new Set(ofMetric.map(({ checkpointRule }) => checkpointRule))];
  const rule = choose("checkpoint rule", rules, { wanted: selection.rule, usual: preferredRule });
  const chosen = ofMetric.filter(({ checkpointRule }) => checkpointRule === rule);
  const best = new Map(
    ofMetric.filter(({ checkpointRule }) => checkpointRule === "best").map((row) => [runOf(row), row.value]),
  );
  const hasColumn = chosen.some(({ isCollapsed }) => isCollapsed !== undefined);
  // Metrics that may be negative or have an arbitrary zero do not collapse at half of the best.
  const isUnbounded = describeMetric(metric).unit === "reward" || ofMetric.some(({ value }) => value < 0);
  const canDerive = !hasColumn && rule === preferredRule && best.size > 0 && !isUnbounded;
  const toScore = (row: LongRow): Score => {
    const { seed, value, numEvaluations } = row;
    const peak = best.get(runOf(row));
    const isKnown = canDerive && peak !== undefined && Number.isFinite(peak) && Number.isFinite(value);
    return { seed, value, numEvaluations, isCollapsed: isKnown ? value < peak / 2 : row.isCollapsed };
  };
  const byPanel = groupBy(chosen, ({ env, subtask }) => JSON.stringify([env, subtask]));
  const panels = [...byPanel.values()].map((panel): PanelScores => {
    const { env = "", subtask = "" } = panel[0] ?? {};
    const methods = [...groupBy(panel, ({ method }) => method).values()];
    return {
      env,
      subtask,
      methods: methods.map((rows) => ({ method: rows[0]?.method ?? "", scores: rows.map(toScore) })),
    };
  });
  const left = [...others("metrics", metrics, metric), ...others("checkpoint rules", rules, rule)];
  return { metric, rule, panels, collapses: hasColumn ? "column" : canDerive ? "halfOfBest" : "unknown", notes: left };
}

type Wanted = { wanted: string | undefined; usual: string };

function choose(what: string, known: readonly string[], { wanted, usual }: Wanted): string {
  if (wanted === undefined) return known.includes(usual) ? usual : (known[0] ?? "");
  if (known.includes(wanted)) return wanted;
  throw new AppError("bad_input", `there is no ${what} "${wanted}"; there are ${known.join(", ")}`);
}

function others(what: string, known: readonly string[], chosen: string): string[] {
  const left = known.filter((name) => name !== chosen);
  return left.length === 0 ? [] : [`Other ${what} in the file: ${left.join(", ")}.`];
}

function runOf({ env, subtask, method, seed }: LongRow): string {
  return JSON.stringify([env, subtask, method, seed]);
}

/** A matrix stored as a list of its columns, each (N,). */
export type Columns = readonly (readonly number[])[];

export type Decomposition = {
  /** Indices of columns that are linearly independent of earlier ones, ascending; as many as the rank. */
  independent: readonly number[];
  /** Orthonormal basis of the space that the columns span, one vector per independent column. */
  basis: Columns;
  /** Upper triangular matrix whose column j expresses independent column j in the basis. */
  triangle: Columns;
  /** Coefficients of every dependent column as a linear combination of the independent columns, in their order. */
  dependent: ReadonlyMap<number, readonly number[]>;
};

/**
 * Maximum residual that counts as zero: design columns contain small integers, so a dependent one leaves rounding
 * error.
 */
const tolerance = 1e-9;

/** Gram–Schmidt of a small dense matrix with reorthogonalisation, for its rank, least squares and aliases. */
export function decompose(columns: Columns): Decomposition {
  const independent: number[] = [];
  const basis: number[][] = [];
  const triangle: number[][] = [];
  const dependent = new Map<number, readonly number[]>();
  for (const [j, column] of columns.entries()) {
    const inBasis = basis.map(() => 0);
    const rest = [...column];
    for (let pass = 0; pass < 2; pass++) {
      for (const [i, direction] of basis.entries()) {
        const part = dot(direction, rest);
        inBasis[i] = (inBasis[i] ?? 0) + part;
        for (let row = 0; row < rest.length; row++) rest[row] = (rest[row] ?? 0) - part * (direction[row] ?? 0);
      }
    }
    const length = Math.sqrt(dot(rest, rest));
    if (length > tolerance * Math.max(1, Math.sqrt(dot(column, column)))) {
      independent.push(j);
      basis.push(rest.map((x) => x / length));
      triangle.push([...inBasis, length]);
    } else {
      dependent.set(j, solveTriangle(triangle, inBasis));
    }
  }
  return { independent, basis, triangle, dependent };
}

/** Solves R x = y for an upper triangular matrix R, stored as columns. */
function solveTriangle(triangle: Columns, y: readonly number[]): number[] {
  const x = [...y];
  for (let j = triangle.length - 1; j >= 0; j--) {
    const column = triangle[j] ?? [];
    const value = (x[j] ?? 0) / (column[j] ?? NaN);
    x[j] = Math.abs(value) < 1e-12 ? 0 : value;
    for (let i = 0; i < j; i++) x[i] = (x[i] ?? 0) - value * (column[i] ?? 0);
  }
  return x;
}

/** Solves Rᵀ x = y for an upper triangular matrix R, stored as columns. */
export function solveTransposed(triangle: Columns, y: readonly number[]): number[] {
  const x: number[] = [];
  for (const [j, column] of triangle.entries()) {
    const known = x.reduce((sum, value, i) => sum + value * (column[i] ?? 0), 0);
    x.push(((y[j] ?? 0) - known) / (column[j] ?? NaN));
  }
  return x;
}

export function dot(a: readonly number[], b: readonly number[]): number {
  let sum = 0;
  for (let i = 0; i < a.length; i++) sum += (a[i] ?? 0) * (b[i] ?? 0);
  return sum;
}

/** Returns the sum of squares of the projection of y onto an orthonormal basis. */
export function squaresWithin(basis: Columns, y: readonly number[]): number {
  return basis.reduce((sum, direction) => sum + dot(direction, y) ** 2, 0);
}
