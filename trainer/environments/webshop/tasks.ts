import { splitOf, type Split } from "#trainer/spec/environment.ts";
import type { WebShopSpec } from "#trainer/spec/environments/webshop.ts";
import { split, type Rng } from "#trainer/spec/rng.ts";
import { pick } from "../chance.ts";
import type { Article } from "./catalogue.ts";
import { priceBoundsAbove, toGoal, type Wish } from "./session.ts";
import type { Goal } from "./product.ts";

export type Task = { readonly goal: Goal; readonly department: string };

/**
 * Makes a function that generates the task of a seed. In one fifth of the kinds of products, some pairs of attribute
 * and option value occur only in unseen tasks. One fifth of the remaining instructions is for seen tasks, so no
 * instruction is in two splits.
 */
export function makeTasks(articles: readonly Article[], spec: WebShopSpec): (seed: number) => Task {
  const heldOut = holdOut(articles);
  const heldOutArticles = articles.filter(({ query }) => heldOut.has(query));
  const splitOfWish = ({ query }: Article, wish: Wish, instruction: string): Split => {
    const pairs = heldOut.get(query);
    if (pairs !== undefined && pairsOf(wish.attributes, Object.values(wish.options)).some((pair) => pairs.has(pair))) {
      return "unseen";
    }
    return split("webshop instruction", instruction).int(5) === 0 ? "seen" : "train";
  };
  return (seed) => {
    const wanted = splitOf(seed);
    const rng = split(seed, "webshop task");
    const pool = wanted === "unseen" ? heldOutArticles : articles;
    for (let tries = 0; tries < maxTries; tries++) {
      const article = pick(pool, rng);
      const wish = drawWish(article, spec, rng);
      const goal = toGoal(article, wish);
      if (splitOfWish(article, wish, goal.instruction) === wanted) return { goal, department: article.department };
    }
    throw new RangeError(`no task of the ${wanted} split in ${maxTries} tries: the catalogue is too small`);
  };
}

const maxTries = 10_000;
const heldOutKinds = 0.2;
const heldOutPairs = 0.3;

function drawWish(
  { attributes, options, price }: Article,
  { attributesInGoal, priceTightness }: WebShopSpec,
  rng: Rng,
): Wish {
  const bounds = priceBoundsAbove(price, 4 - priceTightness);
  return {
    attributes: drawSome(attributes, attributesInGoal, rng),
    options: Object.fromEntries(Object.entries(options).map(([name, values]) => [name, pick(values, rng)])),
    // As in WebShop, the price bound is the larger of two sampled bounds, if there are two.
    priceUpper: bounds.length > 0 ? Math.max(...drawSome(bounds, 2, rng)) : undefined,
  };
}

/** Chooses pairs of attribute and option value of one fifth of the kinds, which occur only in unseen tasks. */
function holdOut(articles: readonly Article[]): ReadonlyMap<string, ReadonlySet<string>> {
  const queries = [...new Set(articles.map(({ query }) => query))].sort();
  const rng = split("webshop held out", ...queries);
  const held = drawSome(queries, Math.ceil(heldOutKinds * queries.length), rng);
  return new Map(
    held.map((query) => {
      const found = articles.filter((article) => article.query === query);
      const pairs = found.flatMap(({ attributes, options }) => pairsOf(attributes, Object.values(options).flat()));
      const distinct = [...new Set(pairs)].sort();
      return [query, new Set(drawSome(distinct, Math.ceil(heldOutPairs * distinct.length), rng))];
    }),
  );
}

/** Returns all pairs of an attribute and an option value. Without options, each attribute is a pair by itself. */
function pairsOf(attributes: readonly string[], values: readonly string[]): readonly string[] {
  const partners = values.length > 0 ? values : [""];
  return attributes.flatMap((attribute) => partners.map((value) => `${attribute} + ${value}`));
}

/** Samples `count` distinct items and keeps their order. */
function drawSome<Item>(items: readonly Item[], count: number, rng: Rng): Item[] {
  const ranked = items.map((_, i) => ({ i, order: rng.next() })).sort((x, y) => x.order - y.order);
  const drawn = new Set(ranked.slice(0, count).map(({ i }) => i));
  return items.filter((_, i) => drawn.has(i));
}
