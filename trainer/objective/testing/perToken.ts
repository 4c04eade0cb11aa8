/** Returns a flat (B, T) array that repeats each row's value for all its tokens. */
export function perToken(values: readonly number[], [, width]: readonly [number, number]): number[] {
  return values.flatMap((x) => Array.from({ length: width }, () => x));
}
