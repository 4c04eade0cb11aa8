export function divisorsOf(count: number): number[] {
  return Array.from({ length: count }, (_, i) => i + 1).filter((one) => count % one === 0);
}

export function gcd(a: number, b: number): number {
  return b === 0 ? a : gcd(b, a % b);
}

export function leastCommonMultiple(a: number, b: number): number {
  return (a / gcd(a, b)) * b;
}

/** Returns the nearest valid sizes below and above as text, such as `64 or 128`. */
export function nearest(sizes: readonly number[], wanted: number): string {
  const below = sizes.filter((one) => one < wanted).at(-1);
  const above = sizes.find((one) => one > wanted);
  return [below, above].filter((one) => one !== undefined).join(" or ");
}

export function nearestDivisors(count: number, wanted: number): string {
  return nearest(divisorsOf(count), wanted);
}

export function nearestMultiples(wanted: number, of: number): string {
  const below = Math.floor(wanted / of) * of;
  return nearest(
    [below, below + of].filter((one) => one > 0),
    wanted,
  );
}
