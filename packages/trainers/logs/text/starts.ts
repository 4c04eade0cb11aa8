/** Start positions of verl's console measurements. */
export function findVerl(text: string): number[] {
  if (!text.includes("step:")) return [];
  return [...text.matchAll(/(?<![A-Za-z_/'"{])step:\d+ - /g)].map(({ index }) => index);
}

/** Start of a dictionary, −1 without one: a brace before a quote, or at the end of a line. */
export function dictionaryAt(text: string, from = 0): number {
  dictionary.lastIndex = from;
  return dictionary.exec(text)?.index ?? -1;
}

const dictionary = /\{\s*(?:['"]|$)/g;
