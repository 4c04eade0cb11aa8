import { clickablesOf } from "./page.ts";
import type { Goal, Product } from "./product.ts";
import { details, idOf, listedOn, type Page, type Results, type Shop, type Visit } from "./shop.ts";

/** Executes an action on the current page. Only a search, or a click on something clickable, changes the page. */
export function act(shop: Shop, page: Page, action: string): Page {
  const command = parseAction(action);
  if (page.kind === "done" || command === undefined) return page;
  if (command.verb === "search") return { kind: "results", results: findResults(shop, command.argument) };
  return clickablesOf(shop, page).includes(command.argument) ? click(shop, page, command.argument) : page;
}

/** Parses an action that begins with `search[…]` or `click[…]`; undefined for another text or empty brackets. */
function parseAction(action: string): { verb: "search" | "click"; argument: string } | undefined {
  const [, verb, argument] = /^(.+)\[(.+)\]/.exec(action) ?? [];
  if ((verb !== "search" && verb !== "click") || argument === undefined) return undefined;
  return { verb, argument: argument.toLowerCase() };
}

function findResults(shop: Shop, keywords: string): Results {
  return { keywords, hits: shop.search(keywords), pageNumber: 1 };
}

type OpenPage = Exclude<Page, { kind: "done" }>;

function click(shop: Shop, page: OpenPage, target: string): Page {
  if (target === "back to search") return { kind: "search" };
  switch (page.kind) {
    case "search":
      return page;
    case "results":
      return clickOnResults(shop, page.results, target);
    case "item":
      return clickOnItem(page.visit, target);
    case "detail":
      return { kind: "item", visit: page.visit };
  }
}

function clickOnResults(shop: Shop, results: Results, target: string): Page {
  const turnTo = (pageNumber: number): Page => ({ kind: "results", results: { ...results, pageNumber } });
  if (target === "next >") return turnTo(results.pageNumber + 1);
  if (target === "< prev") return turnTo(results.pageNumber - 1);
  const product = listedOn(shop, results).find((product, i) => idOf(shop, product, i).toLowerCase() === target);
  return product ? { kind: "item", visit: { results, product, options: {} } } : turnTo(results.pageNumber);
}

function clickOnItem(visit: Visit, target: string): Page {
  if (target === "< prev") return { kind: "results", results: visit.results };
  if (target === "buy now") return { kind: "done", visit };
  const detail = details.find((detail) => detail === target);
  if (detail) return { kind: "detail", visit, detail };
  const name = Object.entries(visit.product.options).findLast(([, values]) => values.includes(target))?.[0];
  return {
    kind: "item",
    visit: name === undefined ? visit : { ...visit, options: { ...visit.options, [name]: target } },
  };
}

export type Wish = {
  attributes: readonly string[];
  options: Readonly<Record<string, string>>;
  /** Maximum price of the goal in dollars; undefined if the price does not matter. */
  priceUpper: number | undefined;
};

/** Makes a goal for a product. The instruction has the wording of WebShop's synthetic goals. */
export function toGoal({ query, productCategory, title }: Product, { attributes, options, priceUpper }: Wish): Goal {
  const chosen = Object.entries(options).map(([name, value]) => `${name}: ${value}`);
  const instruction = [
    `Find me ${attributes.join(", ")} ${query}`,
    chosen.length > 0 ? ` with ${chosen.join(", and ")}` : "",
    priceUpper === undefined ? "" : `, and price lower than ${priceUpper.toFixed(2)} dollars`,
  ].join("");
  return { instruction, query, productCategory, title, attributes, options, priceUpper: priceUpper ?? anyPrice };
}

/** Price bound, in dollars, of a goal that does not mention the price. */
const anyPrice = 1e6;

/** Returns the `count` multiples of ten above a product's price, in dollars, as far as they are below 1000. */
export function priceBoundsAbove(price: number, count: number): readonly number[] {
  const first = Math.floor(price / 10) + 1;
  return Array.from({ length: count }, (_, i) => 10 * (first + i)).filter((bound) => bound < 1000);
}

export type Memory = {
  /** ASINs of products whose pages were opened, so that their options are known. */
  readonly visited: readonly string[];
  /** ASINs of products whose description or features were opened, so that all their attributes are known. */
  readonly studied: readonly string[];
  /** Keywords of the last search. `lastPage` is the number of the last results page that was seen. */
  readonly keywords: string;
  readonly lastPage: number;
};

export const noMemory: Memory = { visited: [], studied: [], keywords: "", lastPage: 0 };

export function remember(memory: Memory, page: Page): Memory {
  switch (page.kind) {
    case "search":
    case "done":
      return memory;
    case "results": {
      const { keywords, pageNumber } = page.results;
      const seen = keywords === memory.keywords ? memory.lastPage : 0;
      return { ...memory, keywords, lastPage: Math.max(seen, pageNumber) };
    }
    case "item":
      return { ...memory, visited: add(memory.visited, page.visit.product.asin) };
    case "detail":
      return page.detail === "reviews" ? memory : { ...memory, studied: add(memory.studied, page.visit.product.asin) };
  }
}

function add(known: readonly string[], asin: string): readonly string[] {
  return known.includes(asin) ? known : [...known, asin];
}
