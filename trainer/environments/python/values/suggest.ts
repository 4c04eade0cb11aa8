const moveCost = 2;
const caseCost = 1;
const maxLength = 40;
const maxCandidates = 750;

/** The name that CPython thinks was meant: the nearest, with no more than a third of the letters changed. */
export function suggest(name: string, candidates: readonly string[]): string | undefined {
  if (candidates.length >= maxCandidates) return undefined;
  let best: string | undefined;
  let bestDistance = Infinity;
  for (const candidate of candidates) {
    if (candidate === name) continue;
    const allowed = Math.floor(((name.length + candidate.length + 3) * moveCost) / 6);
    const limit = Math.min(allowed, bestDistance - 1);
    const distance = measure(name, candidate, limit);
    if (distance <= limit && distance < bestDistance) [best, bestDistance] = [candidate, distance];
  }
  return best;
}

/** Edit distance in which a change of case costs half; anything above the limit may be returned as more than it is. */
function measure(a: string, b: string, limit: number): number {
  let [start, endA, endB] = [0, a.length, b.length];
  while (start < endA && start < endB && a[start] === b[start]) start++;
  while (endA > start && endB > start && a[endA - 1] === b[endB - 1]) [endA, endB] = [endA - 1, endB - 1];
  let [short, long] = [a.slice(start, endA), b.slice(start, endB)];
  if (short === "" || long === "") return (short.length + long.length) * moveCost;
  if (short.length > maxLength || long.length > maxLength) return limit + 1;
  if (long.length < short.length) [short, long] = [long, short];
  if ((long.length - short.length) * moveCost > limit) return limit + 1;
  let row = Array.from(short, (_, i) => (i + 1) * moveCost);
  for (const [i, c] of Array.from(long).entries()) {
    let [diagonal, left] = [i * moveCost, (i + 1) * moveCost];
    row = row.map((above, j) => {
      left = Math.min(diagonal + substitutionCost(c, short.charAt(j)), Math.min(left, above) + moveCost);
      diagonal = above;
      return left;
    });
    if (Math.min(...row) > limit) return limit + 1;
  }
  return row.at(-1) ?? 0;
}

function substitutionCost(a: string, b: string): number {
  if (a === b) return 0;
  const isLetter = /[a-zA-Z]/.test(a) && /[a-zA-Z]/.test(b);
  return isLetter && a.toLowerCase() === b.toLowerCase() ? caseCost : moveCost;
}
