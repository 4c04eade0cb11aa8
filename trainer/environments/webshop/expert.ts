import type { Expertise } from "../environment.ts";
import type { Memory } from "./session.ts";
import type { Goal, Product } from "./product.ts";
import { hasAttribute } from "./reward.ts";
import { idOf, listedOn, type Page, type Results, type Shop, type Visit } from "./shop.ts";

export type Sight = {
  shop: Shop;
  goal: Goal;
  page: Page;
  memory: Memory;
  /** True if titles in this shop omit an attribute, so that a title without it proves nothing. */
  areTitlesShort: boolean;
};

/**
 * Returns the next action of the expert, a careful shopper who knows only the instruction and the visited pages. The
 * shopper searches for the kind of product with its attributes, and opens the first listed product that seems right.
 * If none seems right, the shopper looks further, and finally takes the best product seen. Then the options are
 * chosen and the product is bought.
 */
export function advise(sight: Sight): Expertise {
  const { page } = sight;
  switch (page.kind) {
    case "search":
      return { thought: "look for it", action: `search[${keywordsFor(sight.goal)}]` };
    case "results":
      return adviseOnResults(sight, page.results);
    case "item":
      return adviseOnItem(sight, page.visit);
    case "detail":
    case "done":
      return { thought: "back to it", action: "click[< prev]" };
  }
}

/** Words of the expert's thoughts besides option values, for a small policy's vocabulary. */
export const thoughtWords =
  "look for it back to seems right none is look further best of all need all chosen not wanted what it has".split(" ");

/** Returns the expert's keywords, without options and price, which identify a product poorly. */
export function keywordsFor({ query, attributes }: Pick<Goal, "query" | "attributes">): string {
  return [query, ...attributes].join(" ");
}

function adviseOnResults(sight: Sight, results: Results): Expertise {
  const { shop } = sight;
  const known = knownOf(sight);
  const wanted = known.find((product) => isRight(sight, product));
  if (wanted) return goTo(sight, results, { product: wanted, thought: "seems right" });
  if (results.keywords !== keywordsFor(sight.goal)) return { thought: "not wanted", action: "click[back to search]" };
  if (sight.memory.lastPage * shop.resultsPerPage < results.hits.length) {
    return { thought: "none is right", action: "click[next >]" };
  }
  const best = bestOf(sight, known);
  return best
    ? goTo(sight, results, { product: best, thought: "best of all" })
    : { thought: "not wanted", action: "click[back to search]" };
}

/** Returns the click on a listed product, or a step towards it: another results page, or back to the search. */
function goTo(
  { shop }: Sight,
  results: Results,
  { product, thought }: { product: Product; thought: string },
): Expertise {
  const rank = listedOn(shop, results).indexOf(product);
  if (rank >= 0) return { thought, action: `click[${idOf(shop, product, rank).toLowerCase()}]` };
  const position = results.hits.findIndex((id) => shop.products[id] === product);
  if (position < 0) return { thought, action: "click[back to search]" };
  const isAhead = position >= results.pageNumber * shop.resultsPerPage;
  return { thought, action: isAhead ? "click[next >]" : "click[< prev]" };
}

function adviseOnItem(sight: Sight, { product, options }: Visit): Expertise {
  const { goal, memory } = sight;
  const isChoice = isRight(sight, product) || (hasSeenAll(sight) && bestOf(sight, knownOf(sight)) === product);
  if (!isChoice) return { thought: "not wanted", action: "click[< prev]" };
  const isCertain = goal.attributes.every((attribute) => isInTitle(product, attribute));
  if (!isCertain && !memory.studied.includes(product.asin))
    return { thought: "what it has", action: "click[features]" };
  const missing = Object.entries(goal.options).find(
    ([name, value]) => options[name] !== value && product.options[name]?.includes(value),
  );
  if (missing) return { thought: `need ${missing[1]}`, action: `click[${missing[1]}]` };
  return { thought: "all chosen", action: "click[buy now]" };
}

/** Lists the current search's products on visited results pages, in order, also while a product is open. */
function knownOf({ shop, page, memory }: Sight): readonly Product[] {
  const results = page.kind === "results" ? page.results : page.kind === "item" ? page.visit.results : undefined;
  if (!results) return [];
  return results.hits.slice(0, memory.lastPage * shop.resultsPerPage).flatMap((id) => shop.products[id] ?? []);
}

function hasSeenAll({ shop, page, memory, goal }: Sight): boolean {
  if (page.kind !== "item") return false;
  const { hits, keywords } = page.visit.results;
  return keywords === keywordsFor(goal) && memory.lastPage * shop.resultsPerPage >= hits.length;
}

/** True if nothing that was read about the product so far contradicts the goal. */
function isRight(sight: Sight, product: Product): boolean {
  return faultsOf(sight, product) === 0;
}

/** Returns the product with the fewest faults with respect to the goal; of several such products, the first. */
function bestOf(sight: Sight, products: readonly Product[]): Product | undefined {
  const rated = products.map((product) => ({ product, faults: faultsOf(sight, product) }));
  const fewest = Math.min(...rated.map(({ faults }) => faults));
  return rated.find(({ faults }) => faults === fewest)?.product;
}

/** Counts the demands of the goal that a product seems to lack. A wrong kind weighs more than all other faults. */
function faultsOf({ goal, memory, areTitlesShort }: Sight, product: Product): number {
  const isStudied = memory.studied.includes(product.asin);
  const unseen = goal.attributes.filter((attribute) => !isInTitle(product, attribute));
  const lacking = isStudied ? unseen.filter((attribute) => !hasAttribute(product, attribute)).length : 0;
  const doubtful = isStudied || (areTitlesShort && unseen.length <= 1) ? 0 : unseen.length;
  const isDear = Math.max(...product.pricing) > goal.priceUpper;
  const isVisited = memory.visited.includes(product.asin);
  const missing = Object.entries(goal.options).filter(([name, value]) => !product.options[name]?.includes(value));
  const isOther = !product.title.toLowerCase().includes(goal.query);
  return lacking + doubtful + Number(isDear) + (isVisited ? missing.length : 0) + (isOther ? 10 : 0);
}

function isInTitle({ title }: Product, attribute: string): boolean {
  return title.toLowerCase().includes(attribute);
}
