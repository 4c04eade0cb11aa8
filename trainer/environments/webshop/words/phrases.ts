/** Vocabulary word that replaces any word outside the vocabulary. */
export const unknownWord = "?";

/** Conversion between a text and a small policy's vocabulary, in which one word can stand for a whole phrase. */
export type Phrases = { toWords: (text: string) => string; fromWords: (words: string) => string };

/** Makes the conversion, given the word of each phrase. Other words are kept if `known`, else become `?`. */
export function makePhrases(wordOf: ReadonlyMap<string, string>, known: ReadonlySet<string>): Phrases {
  const phraseOf = new Map([...wordOf].map(([phrase, word]) => [word, phrase]));
  const longest = Math.max(...[...wordOf.keys()].map((phrase) => phrase.split(" ").length));
  return {
    toWords(text) {
      const pieces = text.split(/\s+/).filter((piece) => piece !== "");
      const words: string[] = [];
      for (let at = 0; at < pieces.length;) {
        const { word, length } = findPhrase(pieces, at);
        words.push(word);
        at += length;
      }
      return words.join(" ");
    },
    fromWords: (words) =>
      words
        .split(" ")
        .map((word) => phraseOf.get(word) ?? word)
        .join(" "),
  };

  /** Returns the longest phrase that begins at this position, as its word and its length. */
  function findPhrase(pieces: readonly string[], at: number): { word: string; length: number } {
    for (let length = Math.min(longest, pieces.length - at); length > 0; length--) {
      const word = wordOf.get(pieces.slice(at, at + length).join(" "));
      if (word !== undefined) return { word, length };
    }
    const piece = pieces[at] ?? "";
    return { word: known.has(piece) && !phraseOf.has(piece) ? piece : unknownWord, length: 1 };
  }
}
