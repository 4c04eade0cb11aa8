/**
 * Matches one word of a small policy's vocabulary: letters with inner hyphens and apostrophes, single digits,
 * punctuation. Capitals at the start of a sentence or in a room's title are implied, so that `Key` and `key` are one
 * word.
 */
const pieces = /<\/?(?:think|action)>|\n|-=|=-|\*\*\*|turn\(s\)|\p{L}+(?:['-]\p{L}+)*|\d|[^\s]/gu;
const sentenceMark = /[.!?:]|=-/;
const ends = new Set([".", "!", "?", "<nl>"]);
const tightBefore = new Set([".", ",", ":", ";", "!", "?", ")"]);
const tightAfter = new Set(["("]);

export function toWords(text: string): string {
  const reader = makeReader(sentenceMark.test(text));
  const words = (text.match(pieces) ?? []).map((piece) => {
    if (piece === "\n") return reader.pass("<nl>");
    const lower = piece.charAt(0).toLowerCase() + piece.slice(1);
    return reader.pass(capitalise(lower) === piece && reader.isCapital() ? lower : piece);
  });
  return words.join(" ");
}

export function fromWords(words: string): string {
  const reader = makeReader(sentenceMark.test(words));
  let text = "";
  let before = "<nl>";
  for (const word of words.split(" ")) {
    if (word === "") continue;
    const shown = reader.isCapital() ? capitalise(word) : word;
    reader.pass(word);
    const isTight =
      before === "<nl>" ||
      word === "<nl>" ||
      tightBefore.has(word) ||
      tightAfter.has(before) ||
      (isDigit(word) && isDigit(before));
    text += `${isTight ? "" : " "}${word === "<nl>" ? "\n" : shown}`;
    before = word;
  }
  return text;
}

/** Makes a reader that tells where a capital is expected: at a sentence's start, and between `-=` and `=-`. */
function makeReader(hasSentences: boolean) {
  let isStart = hasSentences;
  let isHeader = false;
  return {
    isCapital: (): boolean => isStart || isHeader,
    pass(word: string): string {
      isHeader = word === "-=" || (isHeader && word !== "=-");
      isStart = ends.has(word) || (isStart && word === "<nl>");
      return word;
    },
  };
}

export function capitalise(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1);
}

function isDigit(word: string): boolean {
  return word.length === 1 && word >= "0" && word <= "9";
}

export function countWords(text: string): number {
  return text.match(pieces)?.length ?? 0;
}

/** Returns the distinct words of the texts and of the texts in lower case. */
export function wordsOfTexts(texts: readonly string[]): readonly string[] {
  const words = texts.flatMap((text) => [...toWords(text).split(" "), ...toWords(text.toLowerCase()).split(" ")]);
  return [...new Set(words)].filter((word) => word !== "");
}
