/** Finds up to three similar words, nearest first. Ignores case, dots, hyphens, underscores and blanks. */
export function closeMatches(word: string, known: readonly string[]): string[] {
  const plain = simplify(word);
  const limit = Math.max(1, Math.floor(plain.length / 3));
  return known
    .filter((candidate) => candidate !== word)
    .map((candidate) => ({ candidate, distance: editDistance(plain, simplify(candidate)) }))
    .filter(({ distance }) => distance <= limit)
    .sort((a, b) => a.distance - b.distance)
    .slice(0, 3)
    .map(({ candidate }) => candidate);
}

function simplify(word: string): string {
  return word.toLowerCase().replaceAll(/[_\-.\s]/g, "");
}

/** Levenshtein distance in which a swap of adjacent characters counts as one edit (optimal string alignment). */
function editDistance(a: string, b: string): number {
  let before: number[] = [];
  let previous = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const change = (previous[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      const best = Math.min(change, (previous[j] ?? 0) + 1, (row[j - 1] ?? 0) + 1);
      const swapped = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      row.push(swapped ? Math.min(best, (before[j - 2] ?? 0) + 1) : best);
    }
    before = previous;
    previous = row;
  }
  return previous[b.length] ?? 0;
}
