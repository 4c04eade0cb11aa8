/**
 * Returns the similarity of two texts as sets of words, 0 to 100 (thefuzz's `token_set_ratio`): 0 if a text has no
 * words, 100 if one set contains the other. Otherwise three texts are compared: the shared words, and the shared
 * words followed by the other words of either text. The result is the best edit similarity between two of them.
 */
export function tokenSetRatio(a: string, b: string): number {
  const [wordsA, wordsB] = [toWordSet(a), toWordSet(b)];
  if (wordsA.size === 0 || wordsB.size === 0) return 0;
  const shared = [...wordsA].filter((word) => wordsB.has(word));
  const onlyA = sortedText([...wordsA].filter((word) => !wordsB.has(word)));
  const onlyB = sortedText([...wordsB].filter((word) => !wordsA.has(word)));
  if (shared.length > 0 && (onlyA === "" || onlyB === "")) return 100;
  const lengthShared = sortedText(shared).length;
  const gap = lengthShared > 0 ? 1 : 0;
  const lengthA = lengthShared + gap + onlyA.length;
  const lengthB = lengthShared + gap + onlyB.length;
  const distance = onlyA.length + onlyB.length - 2 * longestCommonSubsequence(onlyA, onlyB);
  const similarities = [100 - (100 * distance) / (lengthA + lengthB)];
  if (lengthShared > 0) {
    similarities.push(100 - (100 * (gap + onlyA.length)) / (lengthShared + lengthA));
    similarities.push(100 - (100 * (gap + onlyB.length)) / (lengthShared + lengthB));
  }
  return roundHalfToEven(Math.max(...similarities));
}

function toWordSet(text: string): Set<string> {
  const plain = text.replace(/[\u0080-\u00ff]/g, "").replace(/[^\p{L}\p{N}]/gu, " ");
  return new Set(
    plain
      .toLowerCase()
      .split(/\s+/)
      .filter((word) => word !== ""),
  );
}

/** Joins words sorted by code unit, as Python sorts these texts. */
function sortedText(words: readonly string[]): string {
  return [...words].sort((x, y) => (x < y ? -1 : 1)).join(" ");
}

function longestCommonSubsequence(a: string, b: string): number {
  let row = new Uint16Array(b.length + 1);
  for (let i = 0; i < a.length; i++) {
    const next = new Uint16Array(b.length + 1);
    for (let j = 0; j < b.length; j++) {
      next[j + 1] = a[i] === b[j] ? (row[j] ?? 0) + 1 : Math.max(row[j + 1] ?? 0, next[j] ?? 0);
    }
    row = next;
  }
  return row[b.length] ?? 0;
}

function roundHalfToEven(value: number): number {
  const floor = Math.floor(value);
  if (value - floor !== 0.5) return Math.round(value);
  return floor % 2 === 0 ? floor : floor + 1;
}
