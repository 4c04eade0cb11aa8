import { clickablesOf } from "./page.ts";
import { details, idOf, listedOn, type Page, type Results, type Shop, type Visit } from "./shop.ts";

/** Executes an action. Anything except a search or a click on something clickable leaves the page unchanged. */
export function act(shop: Shop, page: Page, action: string): Page {
  const command = parseAction(action);
  if (page.kind === "done" || command === undefined) return page;
  if (command.verb === "search") return { kind: "results", results: findResults(shop, command.argument) };
  return clickablesOf(shop, page).includes(command.argument) ? click(shop, page, command.argument) : page;
}

/** Parses `search[…]` and `click[…]` at the start of a text. The brackets must not be empty. */
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
