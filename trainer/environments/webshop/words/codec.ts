import { grammarWords } from "../../prompt.ts";
import type { Article } from "../catalogue.ts";
import { receipt } from "../page.ts";
import type { Listing } from "../shop.ts";
import { makeActions } from "./actions.ts";
import { itemButtonsWord, makePages, makeReceipts } from "./pages.ts";
import { makePhrases, unknownWord, type Phrases } from "./phrases.ts";
import { makeInstructions } from "./tasks.ts";
import { makeVocabulary, type Vocabulary } from "./vocabulary.ts";

type CodecOptions = { listing: Listing; thoughtWords: readonly string[]; maxActionWords: number };
export type Codec = Phrases & { words: readonly string[] };

/**
 * Converts between the shop's texts and a small policy's words. Texts are distinguished by their beginning:
 * instruction, page, receipt, action. A text with tags is a response, each part of which is converted by itself. All
 * texts of the shop are listed, so that decoding restores their capitals. Only texts written by a policy can have
 * unknown words. Such an action is cut to `maxActionWords`.
 */
export function makeCodec(
  articles: readonly Article[],
  { listing, thoughtWords, maxActionWords }: CodecOptions,
): Codec {
  const vocabulary = makeVocabulary(articles, listing);
  const words = listWords(articles, vocabulary, thoughtWords);
  const asins = articles.map(({ asin }) => asin);
  const phrases = makePhrases(vocabulary.wordOf, new Set([...words, ...grammarWords]));
  const actions = makeActions(phrases, asins);
  const pages = makePages(vocabulary);
  const receipts = makeReceipts(phrases, vocabulary, asins);
  const instructions = makeInstructions(phrases, vocabulary);
  const pageWords = new Set([...vocabulary.runOf.values()].map((run) => run.split(" ", 1)[0] ?? ""));
  return {
    words,
    toWords(text) {
      if (text.startsWith("Find me ")) return instructions.toWords(text);
      if (text.startsWith("'") && text.endsWith("'")) return pages.toWords(text);
      if (text.startsWith(receipt.head[0])) return receipts.toWords(text);
      if (response.test(text)) return inParts(text, { inside: actions.toWords, outside: phrases.toWords });
      return actions.toWords(text).split(" ").slice(0, maxActionWords).join(" ");
    },
    fromWords(text) {
      const first = text.split(" ", 1)[0] ?? "";
      if (tag.test(text)) return inParts(text, { inside: actions.fromWords, outside: phrases.fromWords });
      if (first === "find") return instructions.fromWords(text);
      if (first === "thanks") return receipts.fromWords(text);
      return pageWords.has(first) ? pages.fromWords(text) : actions.fromWords(text);
    },
  };
}

/** No action contains tags: the action of a response is the text between them. */
const response = /^<think>.*<action>.*<\/action>$/s;
const tag = /<\/?(?:think|action)>/;

/** Converts the text inside the action's tags and outside them, and keeps the tags. */
function inParts(text: string, { inside, outside }: Record<"inside" | "outside", (part: string) => string>): string {
  const parts = text.split(/(<\/?(?:think|action)>)/).map((part) => part.trim());
  return parts
    .map((part, i) => {
      if (part === "" || tag.test(part)) return part;
      return parts[i - 1] === "<action>" ? inside(part) : outside(part);
    })
    .filter((part) => part !== "")
    .join(" ");
}

const fixedWords = [
  "find",
  "under",
  "page",
  "of",
  "thanks",
  "score",
  "click",
  "search",
  ".",
  itemButtonsWord,
  unknownWord,
];

function listWords(
  articles: readonly Article[],
  vocabulary: Vocabulary,
  thoughtWords: readonly string[],
): readonly string[] {
  const dearest = Math.max(...articles.map(({ price }) => price));
  const bounds = Array.from({ length: Math.floor(dearest / 10) + 4 }, (_, i) => String(10 * (i + 1)));
  return [
    ...new Set([
      ...fixedWords,
      ...Array.from({ length: 10 }, (_, digit) => String(digit)),
      ...bounds,
      ...[...vocabulary.runOf.values()].flatMap((run) => run.split(" ")),
      ...vocabulary.wordOf.values(),
      ...thoughtWords,
    ]),
  ];
}
