/** Sums of the same numbers in another order differ by a few units of the last place; nothing that was measured does. */
const tolerance = 16 * Number.EPSILON;

/** True where two values differ only by rounding: every test counts them as a tie. */
export function isTied(a: number, b: number): boolean {
  const apart = Math.abs(a - b);
  return a === b || (apart < Infinity && apart <= tolerance * Math.max(Math.abs(a), Math.abs(b)));
}
