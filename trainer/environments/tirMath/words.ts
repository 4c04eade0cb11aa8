import { resultMark } from "./feedback.ts";

/**
 * Lossless conversion of texts and programs to the words of a small policy. Numbers are spelled in digits and unknown
 * words in letters. The space between two words follows from their kinds, as programs are usually formatted. Other
 * gaps are explicit: `<glue>` is no space, every `<sp>` is one space, `<indent>` is four spaces at a line's start.
 */
type Codec = { readonly toWords: (text: string) => string; readonly fromWords: (words: string) => string };

const marks = { lineBreak: "<nl>", indent: "<indent>", space: "<sp>", glue: "<glue>", result: "<result>" } as const;
const fences = ["```python", "```py", "```"] as const;
const box = "\\boxed{";
const operators = ["**", "//", "==", "!=", "<=", ">=", "+=", "-=", "*=", "%=", "->", ":="] as const;
const letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ".split("");
const digits = "0123456789".split("");
const punctuation = "+-*/%=<>()[]{},.:;?!'\"_\\&|^~@#$`".split("");

/** Words of every small policy's vocabulary. Printable ASCII needs no other words; for example, `//=` is two words. */
export const commonWords: readonly string[] = [
  ...Object.values(marks),
  ...fences,
  box,
  ...operators,
  ...digits,
  ...letters,
  ...punctuation,
];

const keywords = new Set("and or not in if elif else for while return print from import is lambda".split(" "));
const pieces = new RegExp(
  [
    escape(resultMark),
    ...[...fences, box, ...operators].map(escape),
    "\\n",
    " +",
    "<\\/?(?:think|action)>",
    "[A-Za-z_]+",
    "[^]",
  ].join("|"),
  "gu",
);

function escape(text: string): string {
  return text.replaceAll(/[\\^$.*+?()[\]{}|/]/g, "\\$&").replaceAll("\n", "\\n");
}

export function makeCodec(lexicon: ReadonlySet<string>): Codec {
  return { toWords: (text) => toWords(text, lexicon), fromWords };
}

function toWords(text: string, lexicon: ReadonlySet<string>): string {
  const setter = makeSetter();
  const words: string[] = [];
  let spaces = 0;
  for (const [piece] of text.matchAll(pieces)) {
    if (piece.startsWith(" ")) {
      spaces = piece.length;
      continue;
    }
    for (const word of toPieces(piece, lexicon)) {
      if (setter.isLineStart()) {
        for (; spaces >= indentWidth; spaces -= indentWidth) words.push(setter.set(marks.indent));
      }
      words.push(...gapWords(spaces, setter.gapBefore(word)), setter.set(word));
      spaces = 0;
    }
  }
  return [...words, ...gapWords(spaces, 0)].join(" ");
}

const indentWidth = 4;

/** Returns the words that encode an unexpected number of spaces; none if the number is as expected. */
function gapWords(spaces: number, expected: number): string[] {
  if (spaces === expected) return [];
  return spaces === 0 ? [marks.glue] : Array.from({ length: spaces }, () => marks.space);
}

/** Splits a piece of text into vocabulary words. Unknown words become letters; other characters, their code points. */
function toPieces(piece: string, lexicon: ReadonlySet<string>): readonly string[] {
  if (piece === "\n") return [marks.lineBreak];
  if (piece === resultMark) return [marks.result];
  if (/^[A-Za-z_]{2,}$/.test(piece) && !lexicon.has(piece)) return piece.split("");
  return plain.test(piece) ? [piece] : Array.from(piece, toCodeWord);
}

const plain = /^[!-~]+$/;

function toCodeWord(c: string): string {
  return `<u+${(c.codePointAt(0) ?? 0).toString(16)}>`;
}

function fromWords(words: string): string {
  const setter = makeSetter();
  let [text, gap]: [string, number | undefined] = ["", undefined];
  for (const word of words.split(" ")) {
    if (word === "") continue;
    if (word === marks.space) gap = (gap ?? 0) + 1;
    else if (word === marks.glue) gap ??= 0;
    else {
      text += " ".repeat(gap ?? setter.gapBefore(word)) + toText(word);
      setter.set(word);
      gap = undefined;
    }
  }
  return text + " ".repeat(gap ?? 0);
}

function toText(word: string): string {
  if (word === marks.lineBreak) return "\n";
  if (word === marks.indent) return " ".repeat(indentWidth);
  if (word === marks.result) return resultMark;
  const code = /^<u\+([0-9a-f]{1,6})>$/.exec(word)?.[1];
  const point = code === undefined ? Number.NaN : parseInt(code, 16);
  return point <= 0x10ffff ? String.fromCodePoint(point) : word;
}

const closers = new Set([")", "]", "}", ",", ":", ";", ".", "?", "!"]);
const openers = new Set(["(", "[", "{", box, marks.result, marks.indent, marks.lineBreak]);
const isOperator = (word: string): boolean => /^[-+*/%=<>&|^~!:]+$/.test(word);
const isWord = (word: string): boolean => /^[A-Za-z_]/.test(word);
const isDigit = (word: string): boolean => /^\d$/.test(word);

/** Makes an object that follows the words of a text and predicts the number of spaces before the next word. */
function makeSetter() {
  let [last, isSigned, isQuoted]: [string, boolean, boolean] = [marks.lineBreak, false, false];

  function gapBefore(word: string): number {
    const isQuote = word === "'" || word === '"';
    if (openers.has(last) || closers.has(word) || isSigned || isBreak(word)) return 0;
    if (isDigit(last) && isDigit(word)) return 0;
    if (last === ".") return /^[a-z\d]/.test(word) ? 0 : 1;
    if (isQuote && isQuoted) return 0;
    if ((last === "'" || last === '"') && isQuoted) return 0;
    const isCall = (isWord(last) && (!keywords.has(last) || last === "print")) || last === ")" || last === "]";
    return (word === "(" || word === "[") && isCall ? 0 : 1;
  }

  /** Adds a word to the context from which spaces are predicted. */
  function set(word: string): string {
    const isSign = word === "-" || word === "+" || word === "~";
    isSigned = isSign && (openers.has(last) || last === "," || isOperator(last) || keywords.has(last));
    if (word === "'" || word === '"') isQuoted = !isQuoted;
    if (isBreak(word)) isQuoted = false;
    last = word;
    return word;
  }

  return { gapBefore, set, isLineStart: () => last === marks.lineBreak || last === marks.indent };
}

function isBreak(word: string): boolean {
  return word === marks.lineBreak || word === marks.result;
}

/** Returns all words of two or more letters in the texts. */
export function lexiconOf(texts: readonly string[]): ReadonlySet<string> {
  return new Set(texts.flatMap((text) => text.match(/[A-Za-z_]{2,}/g) ?? []));
}
