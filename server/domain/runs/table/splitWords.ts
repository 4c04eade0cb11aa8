/** A problem in a filter: its range of characters (`end` is exclusive) and the reason. */
export type FilterProblem = { start: number; end: number; message: string };

export type FilterWord = { text: string; start: number; end: number };

export const maxFilterLength = 2000;

/** Splits a filter into words at spaces. A text in double quotes is a single word. */
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

export function unquote(text: string): string {
  return text.replaceAll('"', "");
}

/** Quotes a text so that a filter reads it literally, as one word; quotes within the text are lost. */
export function quote(text: string): string {
  const plain = unquote(text);
  return /^[\p{L}\p{N}_./+][\p{L}\p{N}_./+-]*$/u.test(plain) ? plain : `"${plain}"`;
}
