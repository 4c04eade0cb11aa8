/** Returns true if `a` is nowhere worse than `b` and better in at least one coordinate; smaller is better. */
export function dominates(a: readonly number[], b: readonly number[]): boolean {
  return a.every((value, i) => value <= (b[i] ?? NaN)) && a.some((value, i) => value < (b[i] ?? NaN));
}

/**
 * Non-dominated sorting, shapes (N, M) → (N,): rank 0 is undominated, rank 1 is dominated only by rank 0, and so on.
 */
export function frontRanks(points: readonly (readonly number[])[]): number[] {
  const ranks = points.map(() => -1);
  let left = Array.from(points.keys());
  for (let front = 0; left.length > 0; front++) {
    const isFront = (i: number): boolean => !left.some((j) => dominates(points[j] ?? [], points[i] ?? []));
    const found = left.filter(isFront);
    // Comparisons with NaN are false, so at least one point is always undominated.
    for (const i of found) ranks[i] = front;
    left = left.filter((i) => !found.includes(i));
  }
  return ranks;
}

/**
 * Hypervolume between the points and a reference point; smaller coordinates are better. The volume is computed exactly
 * by slicing along the last coordinate. The worst case takes N^M steps, which suffices for two or three objectives and
 * some hundred points.
 */
export function hypervolume(points: readonly (readonly number[])[], reference: readonly number[]): number {
  const inside = points.filter((point) => reference.every((limit, i) => (point[i] ?? NaN) < limit));
  return sliceVolume(inside, reference);
}

function sliceVolume(points: readonly (readonly number[])[], reference: readonly number[]): number {
  const last = reference.length - 1;
  const limit = reference[last] ?? NaN;
  if (points.length === 0) return 0;
  if (last === 0) return limit - Math.min(...points.map(([value = NaN]) => value));
  const order = points.toSorted((a, b) => (a[last] ?? NaN) - (b[last] ?? NaN));
  return order.reduce((volume, point, i) => {
    const depth = (order[i + 1]?.[last] ?? limit) - (point[last] ?? NaN);
    if (depth === 0) return volume;
    const slice = order.slice(0, i + 1).map((one) => one.slice(0, last));
    return volume + depth * sliceVolume(slice, reference.slice(0, last));
  }, 0);
}
