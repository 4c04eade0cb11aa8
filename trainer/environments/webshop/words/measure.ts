import type { WebShopSpec } from "#trainer/spec/environments/webshop.ts";
import type { Environment } from "../../environment.ts";
import type { Article } from "../catalogue.ts";
import { toPriceTag } from "../product.ts";
import { makeVocabulary } from "./vocabulary.ts";

type MaxWords = Environment<never>["maxWords"];

/** Maximum length of each text in words, from the longest that this shop can print. */
export function measureWords(articles: readonly Article[], spec: WebShopSpec): MaxWords {
  const { runOf } = makeVocabulary(articles, spec);
  const lengthOf = (text: string): number => runOf.get(text)?.split(" ").length ?? 0;
  const total = (texts: readonly string[]): number => texts.reduce((sum, text) => sum + lengthOf(text), 0);
  const longest = (lengths: readonly number[]): number => Math.max(0, ...lengths);
  const offers = articles
    .map(({ title, pricing }) => idWords(spec) + total([title, toPriceTag(pricing)]))
    .sort((x, y) => y - x);
  // Words of a results page: back, the page's number of a few digits, prev, next.
  const resultsHead = 3 + 2 + String(spec.maxTurns + 1).length + 2;
  const results = resultsHead + offers.slice(0, spec.resultsPerPage).reduce((sum, length) => sum + length, 0);
  const items = articles.map(({ options, title, pricing }) => {
    const choices = Object.entries(options).flat(2);
    // Words of an article's page: back, prev, and the buttons as one word.
    return 3 + total([...choices, title, `Price: ${toPriceTag(pricing)}`]);
  });
  const details = articles.map(({ description, bullets }) => 2 + Math.max(total([description]), total(bullets)));
  const numOptions = longest(articles.map(({ options }) => Object.keys(options).length));
  // Words of a task: a first word that marks it, attributes, kind, each option, and a price bound.
  const task = 2 + spec.attributesInGoal + 2 * numOptions + 2;
  const action = actionWords(spec);
  return {
    task,
    observation: Math.max(results, longest(items), longest(details), 4 + 2 * numOptions + scoreDigits),
    action,
    response: tagWords + maxThoughtWords + action,
    admissible: spec.showAdmissible ? listLength(articles, spec) : 0,
  };
}

/** Words of an article's id. An ASIN is two words. */
function idWords({ articleIds }: WebShopSpec): number {
  return articleIds === "asin" ? 2 : 1;
}

/** Words of the expert's longest query, and the limit for a policy's query. */
export function actionWords({ attributesInGoal }: WebShopSpec): number {
  return 2 + Math.max(attributesInGoal, 1);
}

const tagWords = 4;
const maxThoughtWords = 4;
/** Digits of a score as Python prints it: 0.16666666666666666. */
const scoreDigits = 20;

/** Length of the longest list of actions, with a separator before each except the first. */
function listLength(articles: readonly Article[], { resultsPerPage }: WebShopSpec): number {
  const results = 3 * 3 + resultsPerPage * 4;
  const itemLengths = articles.map(({ options }) => 3 * (6 + Object.values(options).flat().length));
  return Math.max(results, ...itemLengths);
}
