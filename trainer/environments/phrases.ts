/**
 * Texts of a closed language as words and back: fixed phrases are one word each, everything else is split at its
 * spaces. A phrase brings its own spaces, so that what is between two phrases comes back to the letter.
 */
export type PhraseCodec = {
  readonly toWords: (text: string) => string;
  readonly fromWords: (words: string) => string;
  /** The words that stand for phrases. */
  readonly words: readonly string[];
};

/** Phrases by the word that stands for each. Where several begin at one place, the longest is meant. */
export function makePhraseCodec(phrases: Readonly<Record<string, string>>): PhraseCodec {
  const phraseOf = new Map(Object.entries(phrases));
  const wordOf = new Map([...phraseOf].map(([word, phrase]) => [phrase, word]));
  const longestFirst = [...wordOf.keys()].sort((a, b) => b.length - a.length);
  const pattern = new RegExp(`(${longestFirst.map(escape).join("|")})`);
  return {
    words: [...phraseOf.keys()],
    toWords: (text) =>
      text
        .split(pattern)
        .flatMap((part) => wordOf.get(part) ?? part.split(/\s+/))
        .filter((word) => word !== "")
        .join(" "),
    fromWords(words) {
      let text = "";
      let isPlain = false;
      for (const word of words.split(" ")) {
        if (word === "") continue;
        const phrase = phraseOf.get(word);
        text += phrase ?? (isPlain ? ` ${word}` : word);
        isPlain = phrase === undefined;
      }
      return text;
    },
  };
}

function escape(phrase: string): string {
  return phrase.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`);
}
