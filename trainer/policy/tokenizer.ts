/** Special tokens, which precede the words in the vocabulary. The tags are those of the response format. */
const specials = ["<pad>", "<bos>", "<eos>", "<unk>", "\n", "<think>", "</think>", "<action>", "</action>"] as const;

export type Tokenizer = {
  readonly vocabularySize: number;
  readonly padToken: number;
  readonly bosToken: number;
  readonly eosToken: number;
  /** Special tokens other than the line break. */
  readonly controlTokens: readonly number[];
  /** Encodes a text. Words outside the vocabulary become `<unk>`. */
  readonly encode: (text: string) => Int32Array;
  /** Decodes to words, separated by spaces except at line breaks and tags, without `<pad>`, `<bos>` and `<eos>`. */
  readonly decode: (tokens: Iterable<number>) => string;
  readonly words: readonly string[];
};

/**
 * Makes a word-level tokenizer with a closed vocabulary. Words are separated by white space; line breaks and tags are
 * tokens. Decoding reverses encoding for texts of known words in the form that `decode` produces.
 */
export function makeTokenizer(words: readonly string[]): Tokenizer {
  const broken = words.find((word) => /\s/.test(word) || word === "" || tags.test(word));
  if (broken !== undefined) throw new RangeError(`"${broken}" is not a word: it is empty, a tag, or has white space`);
  const vocabulary = [...new Set<string>([...specials, ...words])];
  const tokens = new Map(vocabulary.map((word, token) => [word, token]));
  const tokenOf = (word: string): number => tokens.get(word) ?? tokens.get("<unk>") ?? 0;
  return {
    vocabularySize: vocabulary.length,
    padToken: tokenOf("<pad>"),
    bosToken: tokenOf("<bos>"),
    eosToken: tokenOf("<eos>"),
    controlTokens: specials.filter((word) => word !== "\n").map(tokenOf),
    words: vocabulary,
    encode: (text) => Int32Array.from(text.match(pieces) ?? [], tokenOf),
    decode: (ids) => join([...ids].map((token) => vocabulary[token] ?? "<unk>")),
  };
}

const tags = /<(?:pad|bos|eos|unk|\/?think|\/?action)>/;
/** Matches one token: a tag, a line break, or any other text without white space. */
const pieces = new RegExp(`${tags.source}|\\n|(?:(?!${tags.source})\\S)+`, "g");
const silent = new Set(["<pad>", "<bos>", "<eos>"]);
const tight = new Set<string>(["\n", "<think>", "</think>", "<action>", "</action>"]);

function join(words: readonly string[]): string {
  let text = "";
  let isTight = true;
  for (const word of words) {
    if (silent.has(word)) continue;
    text += isTight || tight.has(word) ? word : ` ${word}`;
    isTight = tight.has(word);
  }
  return text;
}
