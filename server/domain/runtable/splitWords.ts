/** What a filter cannot be read by: where (characters from `start` to before `end`), and why. */
export type FilterProblem = { start: number; end: number; message: string };

/** A word of a filter with its place. Quotes are still in it. */
export type FilterWord = { text: string; start: number; end: number };

/** Characters of a filter; longer ones are refused. */
export const maxFilterLength = 2000;

/** Words between spaces; what stands in double quotes is one word, spaces and all. */
export function splitWords(filter: string): { words: FilterWord[]; problems: FilterProblem[] } {
  if (filter.length > maxFilterLength) {
    const message = `the filter has ${filter.length} characters, the limit is ${maxFilterLength}`;
    return { words: [], problems: [{ start: 0, end: filter.length, message }] };
  }
  const words: FilterWord[] = [];
  const problems: FilterProblem[] = [];
  for (const { 0: text, index: start } of filter.matchAll(/(?:"[^"]*(?:"|$)|[^\s"])+/g)) {
    const end = start + text.length;
    words.push({ text, start, end });
    if (text.split('"').length % 2 === 0) problems.push({ start, end, message: `${text} has no closing quote` });
  }
  return { words, problems };
}

/** A text as the user meant it, without the quotes around its parts. */
export function unquote(text: string): string {
  return text.replaceAll('"', "");
}

/** A text so that a filter reads it as one word with nothing special in it; quotes within are lost. */
export function quote(text: string): string {
  const plain = unquote(text);
  return /^[\p{L}\p{N}_./+][\p{L}\p{N}_./+-]*$/u.test(plain) ? plain : `"${plain}"`;
}
