import type { Article } from "../catalogue.ts";
import { toPriceTag } from "../product.ts";
import { slotId, type Listing } from "../shop.ts";

/** Small policies' vocabulary for a shop's texts. A fixed phrase is one word; an ASIN or a price is several words. */
export type Vocabulary = {
  /** Word for each phrase in lower case, such as "long-sleeve" for "long sleeve". */
  readonly wordOf: ReadonlyMap<string, string>;
  /** Words for each text that a page can show, separated by spaces. */
  readonly runOf: ReadonlyMap<string, string>;
  readonly attributes: ReadonlySet<string>;
  readonly optionNames: ReadonlySet<string>;
};

/** Buttons and rating of the shop's pages, each as the text on the page and a small policy's word for it. */
export const buttons: readonly (readonly [text: string, word: string])[] = [
  ["Search", "search-bar"],
  ["Back to Search", "back"],
  ["< Prev", "prev"],
  ["Next >", "next"],
  ["Rating: N.A.", "unrated"],
  ["Description", "description"],
  ["Features", "features"],
  ["Reviews", "reviews"],
  ["Buy Now", "buy"],
];

/** Placeholder in the list of admissible actions for a query that the policy may word freely. */
export const anyQuery = "<your query>";

export function makeVocabulary(articles: readonly Article[], listing: Listing): Vocabulary {
  const attributes = distinct(articles.flatMap(({ attributes }) => attributes));
  const optionNames = distinct(articles.flatMap(({ options }) => Object.keys(options)));
  const values = distinct(articles.flatMap(({ options }) => Object.values(options).flat()));
  const phrases = [...articles.map(({ query }) => query), ...attributes, ...optionNames, ...values];
  const wordOf = new Map(phrases.map((phrase) => [phrase, toWord(phrase)]));
  for (const { brand } of articles) wordOf.set(brand.toLowerCase(), brand.toLowerCase());
  wordOf.set(anyQuery, "<query>");
  const word = (phrase: string): string => wordOf.get(phrase) ?? phrase;
  const runs: (readonly [text: string, run: string])[] = [
    ...buttons,
    ...idsBySlot(listing).map((id) => [id, id] as const),
    ...[...optionNames, ...values].map((text) => [text, word(text)] as const),
    ...articles.flatMap((article) => toRuns(article, word)),
  ];
  return {
    wordOf,
    runOf: new Map(runs),
    attributes: new Set(attributes.map(word)),
    optionNames: new Set(optionNames.map(word)),
  };
}

function idsBySlot({ articleIds, resultsPerPage }: Listing): readonly string[] {
  return articleIds === "slot" ? Array.from({ length: resultsPerPage }, (_, i) => slotId(i)) : [];
}

function toRuns(article: Article, word: (phrase: string) => string): (readonly [string, string])[] {
  const { asin, title, description, bullets, pricing, query, attributes, titleAttributes } = article;
  const brand = word(article.brand.toLowerCase());
  const price = toPriceWords(pricing);
  return [
    [asin, toAsinWords(asin)],
    [title, [brand, word(query), ...titleAttributes.map(word)].join(" ")],
    [toPriceTag(pricing), price],
    [`Price: ${toPriceTag(pricing)}`, `price ${price}`],
    [description, ["about", word(query), brand, ...attributes.map(word)].join(" ")],
    ...bullets.map((bullet, i) => [bullet, `feature ${word(attributes[i] ?? "")}`] as const),
  ];
}

/** Splits an ASIN into two words of six and four characters, in lower case. */
export function toAsinWords(asin: string): string {
  return `${asin.slice(0, 6)} ${asin.slice(6)}`.toLowerCase();
}

/** Splits each price into words for tens and the rest, so that ten words cover the tens: `$3x 4.99 to $3x 9.99`. */
function toPriceWords(pricing: readonly number[]): string {
  return pricing.map((price) => `$${Math.floor(price / 10)}x ${(price % 10).toFixed(2)}`).join(" to ");
}

function toWord(phrase: string): string {
  return phrase.replaceAll(" ", "-");
}

function distinct(items: readonly string[]): readonly string[] {
  return [...new Set(items)];
}
