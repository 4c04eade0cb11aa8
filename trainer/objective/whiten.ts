/**
 * (x − μ)/√(σ² + 1e-8) over all values of all rows, σ² Bessel-corrected.
 * @param rows per row, per token
 */
export function whiten(rows: readonly ArrayLike<number>[]): Float64Array[] {
  let [total, count] = [0, 0];
  for (const row of rows) {
    for (let t = 0; t < row.length; t++) total += row[t] ?? 0;
    count += row.length;
  }
  const mean = count > 0 ? total / count : 0;
  let squares = 0;
  for (const row of rows) for (let t = 0; t < row.length; t++) squares += ((row[t] ?? 0) - mean) ** 2;
  // A single token has no variance to divide by; its deviation is 0 whatever the divisor.
  const scale = 1 / Math.sqrt(squares / Math.max(count - 1, 1) + 1e-8);
  return rows.map((row) => Float64Array.from(row, (x) => (x - mean) * scale));
}
