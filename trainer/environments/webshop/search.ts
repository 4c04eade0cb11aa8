import MiniSearch from "minisearch";
import { remember } from "../prompt.ts";
import type { Product } from "./product.ts";

/** Search function of the shop, which returns the catalogue indices of products that match the keywords, best first. */
export type Search = (keywords: string) => readonly number[];

export type SearchOptions = {
  /** Returns the text in which a product's keywords are searched. */
  toDocument: (product: Product) => string;
  stem: (word: string) => string;
};

/** Parameters of BM25 as in Pyserini. MiniSearch's additional term (BM25+) is switched off by `d: 0`. */
const bm25 = { k: 0.9, b: 0.4, d: 0 };
const maxHits = 50;

/** Makes the shop's search by BM25: at most 50 products. Equal scores stay in the order of the catalogue. */
export function makeSearch(
  products: readonly Product[],
  { toDocument, stem }: SearchOptions = { toDocument: toFullText, stem: stemWord },
): Search {
  const index = new MiniSearch<{ id: number; text: string }>({
    fields: ["text"],
    tokenize: numberedWords,
    processTerm: (word) => stem(word.slice(0, word.indexOf("#"))),
    searchOptions: { bm25 },
  });
  index.addAll(products.map((product, id) => ({ id, text: toDocument(product) })));
  const find: Search = (keywords) =>
    index
      .search(keywords)
      .map(({ id, score, queryTerms }) => ({ id: Number(id), score: undoQuality(score, queryTerms.length) }))
      .sort((x, y) => y.score - x.score || x.id - y.id)
      .slice(0, maxHits)
      .map(({ id }) => id);
  // Results are cached, because every episode of a group begins with the same keywords.
  return remember(find, 4096);
}

/**
 * Splits a text into words with a number appended to each, so that repeated words differ. MiniSearch measures a
 * text's length by its distinct words, BM25 by all words. The numbers are dropped before words are compared.
 */
function numberedWords(text: string): string[] {
  return Array.from(text.toLowerCase().match(/[a-z0-9]+/g) ?? [], (word, i) => `${word}#${i}`);
}

/** Divides a score by the number of matched words, which MiniSearch adds to BM25, rounded so that equal scores tie. */
function undoQuality(score: number, numMatched: number): number {
  return Math.round((score / Math.max(numMatched, 1)) * 1e9) / 1e9;
}

function toFullText({ title, description, bullets, options }: Product): string {
  const offered = Object.entries(options).map(([name, values]) => `${name}: ${values.join(", ")}`);
  return [title, description, bullets[0] ?? "", offered.join(", and ")].join(" ");
}

/** Returns a word without the endings -ing, -ed or plural -s. */
export function stemWord(word: string): string {
  const singular = /[^s]s$/.test(word) && word.length > 3 ? word.slice(0, -1) : word;
  return singular.replace(/(?<=...)(?:ing|ed)$/, "");
}
