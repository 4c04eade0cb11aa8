const closers: Readonly<Record<string, string>> = { "(": ")", "[": "]", "{": "}" };

/** Returns the index of the bracket that closes the one at `start`, or -1 if the line does not close it. */
export function closingOf(words: readonly string[], start: number): number {
  let depth = 0;
  for (let i = start; i < words.length; i++) {
    const word = words[i] ?? "";
    if (word in closers) depth++;
    if (word === ")" || word === "]" || word === "}") depth--;
    if (depth === 0) return i;
  }
  return -1;
}

/** Returns the index of the innermost bracket that is open before the word at `end`, or 0 if no bracket is open. */
export function openingOf(words: readonly string[], end: number): number {
  let depth = 0;
  for (let i = end - 1; i >= 0; i--) {
    const word = words[i] ?? "";
    if (word === ")" || word === "]" || word === "}") depth++;
    if (word in closers) depth--;
    if (depth < 0) return i;
  }
  return 0;
}

/** Splits the words between a call's parentheses into one entry per argument. */
export function splitArguments(words: readonly string[]): readonly (readonly string[])[] {
  if (words.length === 0) return [];
  const args: string[][] = [[]];
  let depth = 0;
  for (const word of words) {
    if (word in closers) depth++;
    if (word === ")" || word === "]" || word === "}") depth--;
    if (word === "," && depth === 0) args.push([]);
    else args.at(-1)?.push(word);
  }
  return args;
}
