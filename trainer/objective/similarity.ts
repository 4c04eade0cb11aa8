/**
 * Similarity of texts by Ratcliff and Obershelp's gestalt matching: finds the longest common block of characters,
 * then recurses into the texts left and right of it. It follows the conventions of Python's difflib, which GiGPO's
 * published code uses to compare states.
 */

type Text = { characters: readonly string[]; counts: ReadonlyMap<string, number> };

/** Text to compare others with, and the positions of each of its characters. */
type Reference = Text & { positions: ReadonlyMap<string, readonly number[]> };

type Range = { aFrom: number; aTo: number; bFrom: number; bTo: number };
type Block = { a: number; b: number; length: number };

/**
 * Minimum text length in characters for difflib's rule on frequent characters. A character that makes up more than 1 %
 * of the text (plus one occurrence) cannot start a block, but can extend one.
 */
const longText = 200;

/**
 * Similarity 2·M / (|a| + |b|) in [0, 1], where M is the number of characters in matching blocks; 1 for two empty
 * texts. It is not symmetric: ties between blocks are resolved by `a`, and the rule on frequent characters uses only
 * `b`. @testing
 */
export function matchRatio(a: string, b: string): number {
  return ratioOf(toText(a), toReference(b));
}

/** Maps a text to the first text of the first cluster that it resembles by `threshold`, or to itself: a new cluster. */
export function makeClustering(threshold: number): (text: string) => string {
  const representatives: { anchor: string; reference: Reference }[] = [];
  const known = new Map<string, string>();
  return (anchor) => {
    const before = known.get(anchor);
    if (before !== undefined) return before;
    const text = toText(anchor);
    const match = representatives.find(({ reference }) => isAtLeast(text, reference, threshold));
    if (!match) representatives.push({ anchor, reference: toReference(anchor) });
    const chosen = match?.anchor ?? anchor;
    known.set(anchor, chosen);
    return chosen;
  };
}

/** Tests cheap upper bounds of the similarity first: text length, then common characters. */
function isAtLeast(a: Text, b: Reference, threshold: number): boolean {
  const shorter = Math.min(a.characters.length, b.characters.length);
  if (toRatio(shorter, a, b) < threshold || toRatio(numInCommon(a, b), a, b) < threshold) return false;
  return ratioOf(a, b) >= threshold;
}

function ratioOf(a: Text, b: Reference): number {
  let numMatched = 0;
  const open: Range[] = [{ aFrom: 0, aTo: a.characters.length, bFrom: 0, bTo: b.characters.length }];
  for (let range = open.pop(); range !== undefined; range = open.pop()) {
    const block = longestBlock(a, b, range);
    if (block.length === 0) continue;
    numMatched += block.length;
    open.push({ ...range, aTo: block.a, bTo: block.b });
    open.push({ ...range, aFrom: block.a + block.length, bFrom: block.b + block.length });
  }
  return toRatio(numMatched, a, b);
}

function toRatio(numMatched: number, a: Text, b: Text): number {
  const total = a.characters.length + b.characters.length;
  return total === 0 ? 1 : (2 * numMatched) / total;
}

/** Longest common block within a range of both texts; among equals, the first in `a`, then in `b`. */
function longestBlock(a: Text, b: Reference, { aFrom, aTo, bFrom, bTo }: Range): Block {
  let best: Block = { a: aFrom, b: bFrom, length: 0 };
  // `current[j]` is the length of the common block that ends before position j of b, for the current character of a.
  // `previous` holds these lengths for the preceding character.
  let [previous, current] = [new Int32Array(b.characters.length + 1), new Int32Array(b.characters.length + 1)];
  let touched: readonly number[] = [];
  for (let i = aFrom; i < aTo; i++) {
    const positions = b.positions.get(a.characters[i] ?? "") ?? [];
    for (const j of positions) {
      if (j < bFrom || j >= bTo) continue;
      const length = (previous[j] ?? 0) + 1;
      current[j + 1] = length;
      if (length > best.length) best = { a: i - length + 1, b: j - length + 1, length };
    }
    for (const j of touched) previous[j + 1] = 0;
    [previous, current, touched] = [current, previous, positions];
  }
  return prolong(best, { a, b, range: { aFrom, aTo, bFrom, bTo } });
}

/** Extends a common block by adjacent frequent characters, which cannot start a block themselves. */
function prolong({ a, b, length }: Block, within: { a: Text; b: Text; range: Range }): Block {
  const { aFrom, aTo, bFrom, bTo } = within.range;
  const isSame = (i: number, j: number): boolean => within.a.characters[i] === within.b.characters[j];
  let [before, after] = [0, 0];
  while (a - before > aFrom && b - before > bFrom && isSame(a - before - 1, b - before - 1)) before++;
  while (a + length + after < aTo && b + length + after < bTo && isSame(a + length + after, b + length + after))
    after++;
  return { a: a - before, b: b - before, length: before + length + after };
}

function numInCommon(a: Text, b: Text): number {
  let total = 0;
  for (const [character, count] of a.counts) total += Math.min(count, b.counts.get(character) ?? 0);
  return total;
}

function toText(anchor: string): Text {
  const characters = Array.from(anchor);
  const counts = new Map<string, number>();
  for (const character of characters) counts.set(character, (counts.get(character) ?? 0) + 1);
  return { characters, counts };
}

function toReference(anchor: string): Reference {
  const text = toText(anchor);
  const { characters, counts } = text;
  const mostCommon = characters.length < longText ? Infinity : Math.floor(characters.length / 100) + 1;
  const positions = new Map<string, number[]>();
  for (const [i, character] of characters.entries()) {
    if ((counts.get(character) ?? 0) > mostCommon) continue;
    const found = positions.get(character);
    if (found) found.push(i);
    else positions.set(character, [i]);
  }
  return { ...text, positions };
}
