/** A matrix as columns, each (N,). */
export type Columns = readonly (readonly number[])[];

export type Decomposition = {
  /** Indices of columns that are linearly independent of those before them, ascending; their number is the rank. */
  independent: readonly number[];
  /** Orthonormal basis of the same space, one column per independent column. */
  basis: Columns;
  /** Upper triangle: independent column j in terms of the basis. */
  triangle: Columns;
  /** Each other column as a linear combination of the independent ones; coefficients in their order. */
  dependent: ReadonlyMap<number, readonly number[]>;
};

/** Design columns contain small integers, so the residual of a dependent column is pure rounding error. */
const tolerance = 1e-9;

/** Gram–Schmidt with reorthogonalisation: rank, least squares and aliases of a small dense matrix. */
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

/** Solves R x = y for an upper triangle R given by columns. */
export function solveTriangle(triangle: Columns, y: readonly number[]): number[] {
  const x = [...y];
  for (let j = triangle.length - 1; j >= 0; j--) {
    const column = triangle[j] ?? [];
    const value = (x[j] ?? 0) / (column[j] ?? NaN);
    x[j] = Math.abs(value) < 1e-12 ? 0 : value;
    for (let i = 0; i < j; i++) x[i] = (x[i] ?? 0) - value * (column[i] ?? 0);
  }
  return x;
}

/** Solves Rᵀ x = y. */
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

/** Sum of squares of y projected onto a basis. */
export function squaresWithin(basis: Columns, y: readonly number[]): number {
  return basis.reduce((sum, direction) => sum + dot(direction, y) ** 2, 0);
}
