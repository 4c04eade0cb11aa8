/** Adds `weight` · x xᵀ to a matrix, in place. */
export function addOuter(matrix: number[][], x: readonly number[], weight: number): void {
  for (const [i, row] of matrix.entries()) {
    for (let j = 0; j < row.length; j++) row[j] = (row[j] ?? 0) + weight * (x[i] ?? 0) * (x[j] ?? 0);
  }
}

export type Inverse = {
  inverse: number[][];
  /** Natural logarithm of the determinant of the matrix that was inverted. */
  logDeterminant: number;
};

/** Inverts a symmetric matrix (Gauss–Jordan); undefined if it is not positive definite. */
export function invert(matrix: readonly (readonly number[])[]): Inverse | undefined {
  const size = matrix.length;
  const rows = matrix.map((row, i) => [...row, ...row.map((_, j) => (i === j ? 1 : 0))]);
  let logDeterminant = 0;
  const largest = matrix.reduce((most, row, i) => Math.max(most, row[i] ?? 0), 0);
  for (let i = 0; i < size; i++) {
    const pivotRow = rows[i] ?? [];
    const pivot = pivotRow[i] ?? 0;
    if (!(pivot > 1e-12 * largest)) return undefined;
    logDeterminant += Math.log(pivot);
    const scaled = pivotRow.map((x) => x / pivot);
    for (const [k, row] of rows.entries()) {
      const factor = k === i ? 0 : (row[i] ?? 0);
      rows[k] = k === i ? scaled : row.map((x, j) => x - factor * (scaled[j] ?? 0));
    }
  }
  return { inverse: rows.map((row) => row.slice(size)), logDeterminant };
}
