import { grammarWords } from "../../prompt.ts";
import type { Article } from "../catalogue.ts";
import { receipt } from "../page.ts";
import type { Listing } from "../shop.ts";
import { itemButtonsWord, makePages, makeReceipts } from "./pages.ts";
import { makePhrases, type Phrases, unknownWord } from "./phrases.ts";
import { buttons, makeVocabulary, toAsinWords, type Vocabulary } from "./vocabulary.ts";

type CodecOptions = { listing: Listing; thoughtWords: readonly string[]; maxActionWords: number };
export type Codec = Phrases & { words: readonly string[] };

/**
 * Makes the conversion between the shop's texts and a small policy's words. The beginning of a text tells its type:
 * instruction, page, receipt or action. A response (a text with tags) is converted part by part. The shop's texts are
 * listed, so that decoding restores their capitals. An action outside a response is cut to `maxActionWords`.
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

/** Matches a whole response. No action contains tags, so the action is the text between the action tags. */
const response = /^<think>.*<action>.*<\/action>$/s;
const tag = /<\/?(?:think|action)>/;

/** Converts a response: the text inside the action tags by `inside`, other text by `outside`. The tags are kept. */
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

const fixedWords = [..."find under page of thanks score click search .".split(" "), itemButtonsWord, unknownWord];

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

/** Makes the conversion of actions: `click[buy now]` becomes `click buy`, `search[…]` becomes `search …`. */
function makeActions(phrases: Phrases, asins: readonly string[]): Phrases {
  const targets = new Map<string, string>([
    ...buttons.map(([text, word]) => [text.toLowerCase(), word] as const),
    ...asins.map((asin) => [asin.toLowerCase(), toAsinWords(asin)] as const),
  ]);
  const textOf = new Map([...targets].map(([text, words]) => [words, text]));
  return {
    toWords(text) {
      const [, verb, argument = ""] = /^(click|search)\[(.*)\]$/s.exec(text) ?? [];
      if (verb === undefined) return phrases.toWords(text);
      const target = verb === "click" ? targets.get(argument) : undefined;
      return [verb, target ?? phrases.toWords(argument)].filter((part) => part !== "").join(" ");
    },
    fromWords(words) {
      const [verb = "", ...rest] = words.split(" ");
      if (verb !== "click" && verb !== "search") return phrases.fromWords(words);
      const argument = rest.join(" ");
      const target = verb === "click" ? textOf.get(argument) : undefined;
      return `${verb}[${target ?? phrases.fromWords(argument)}]`;
    },
  };
}

const instruction = /^Find me (.*?)(?: with (.*?))?(?:, and price lower than (\d+)\.00 dollars)?$/;

/** Makes the conversion of instructions: `find`, attributes, kind, each option, and `under` with the price bound. */
function makeInstructions(phrases: Phrases, { attributes, optionNames }: Vocabulary): Phrases {
  return {
    toWords(text) {
      const [, wish = "", options = "", bound] = instruction.exec(text) ?? [];
      const parts = [
        "find",
        phrases.toWords(wish.replaceAll(", ", " ")),
        phrases.toWords(options.replaceAll(/, and | and |: /g, " ")),
        bound === undefined ? "" : `under ${bound}`,
      ];
      return parts.filter((part) => part !== "").join(" ");
    },
    fromWords(words) {
      const [, ...rest] = words.split(" ");
      const indexOr = (index: number, otherwise: number): number => (index < 0 ? otherwise : index);
      const under = indexOr(rest.indexOf("under"), rest.length);
      const isOption = (word: string, i: number): boolean => optionNames.has(word) && i < under;
      const firstOption = indexOr(rest.findIndex(isOption), under);
      const wish = rest.slice(0, firstOption);
      const pairs = rest.slice(firstOption, under);
      const bound = rest.slice(under + 1).join("");
      const named = wish.map((word) => `${phrases.fromWords(word)}${attributes.has(word) ? "," : ""}`).join(" ");
      return [
        `Find me ${named}`.replace(/,(?=[^,]*$)/, ""),
        pairs.length > 0 ? ` with ${toOptions(pairs)}` : "",
        under < rest.length ? `, and price lower than ${bound}.00 dollars` : "",
      ].join("");
    },
  };

  function toOptions(words: readonly string[]): string {
    return words
      .map((word, i) => {
        const phrase = phrases.fromWords(word);
        if (!optionNames.has(word)) return phrase;
        return i === 0 ? `${phrase}: ` : `, and ${phrase}: `;
      })
      .join("");
  }
}
