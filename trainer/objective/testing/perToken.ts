/** Repeats one value per row for each token: (B, T). */
export function perToken(values: readonly number[], [, width]: readonly [number, number]): number[] {
  return values.flatMap((x) => Array.from({ length: width }, () => x));
}
