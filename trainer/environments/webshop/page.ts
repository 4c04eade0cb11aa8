import type { SceneOf } from "../scene.ts";
import { toFloatText, toPriceTag, type Product } from "./product.ts";
import { details, idOf, listedOn, type Detail, type Page, type Shop, type Visit } from "./shop.ts";

export const separator = " [SEP] ";

/** Returns the page as text, as WebShop's text mode prints it. `score` is shown after a purchase. */
export function toPageText(
  shop: Shop,
  page: Page,
  { instruction, score }: { instruction: string; score: number },
): string {
  if (page.kind === "done") return toReceipt(page.visit, score);
  const head = page.kind === "search" ? ["WebShop", "Instruction:"] : ["Instruction:"];
  return [...head, instruction, ...toPageParts(shop, page)].join(separator);
}

/** Returns the texts of a page after the instruction, in order. */
export function toPageParts(shop: Shop, page: Exclude<Page, { kind: "done" }>): readonly string[] {
  switch (page.kind) {
    case "search":
      return ["Search"];
    case "results": {
      const { hits, pageNumber } = page.results;
      return [
        "Back to Search",
        `Page ${pageNumber} (Total results: ${hits.length})`,
        ...(pageNumber > 1 ? ["< Prev"] : []),
        "Next >",
        ...listedOn(shop, page.results).flatMap((product, i) => [
          idOf(shop, product, i),
          product.title,
          toPriceTag(product.pricing),
        ]),
      ];
    }
    case "item": {
      const { options, title, pricing } = page.visit.product;
      const choices = Object.entries(options).flat(2);
      return ["Back to Search", "< Prev", ...choices, title, `Price: ${toPriceTag(pricing)}`, ...itemButtons];
    }
    case "detail":
      return ["Back to Search", "< Prev", ...detailParts(page.visit.product, page.detail)];
  }
}

/** Lists the clickable texts in lower case. On a product's page, the buttons come before the option values. */
export function clickablesOf(shop: Shop, page: Page): readonly string[] {
  switch (page.kind) {
    case "search":
      return ["search"];
    case "results":
      return [
        "back to search",
        ...(page.results.pageNumber > 1 ? ["< prev"] : []),
        "next >",
        ...listedOn(shop, page.results).map((product, i) => idOf(shop, product, i).toLowerCase()),
      ];
    case "item": {
      const values = Object.values(page.visit.product.options).flat();
      return [...new Set(["back to search", "< prev", ...details, "buy now", ...values])];
    }
    case "detail":
      return ["back to search", "< prev"];
    case "done":
      return [];
  }
}

/** Rating and buttons below a product, in the order of its page. */
export const itemButtons = ["Rating: N.A.", "Description", "Features", "Reviews", "Buy Now"] as const;

export function toScene(shop: Shop, page: Page, score: number): Omit<SceneOf<"webshop">, "environment"> {
  const [back, before] = ["Back to Search", "< Prev"];
  switch (page.kind) {
    case "search":
      return { query: undefined, page: { kind: "search" } };
    case "results": {
      const { keywords: query, hits, pageNumber } = page.results;
      const articles = listedOn(shop, page.results).map((product, i) => ({
        id: idOf(shop, product, i),
        title: product.title,
        price: toPriceTag(product.pricing),
      }));
      const buttons = [back, ...(pageNumber > 1 ? [before] : []), "Next >"];
      return { query, page: { kind: "results", pageNumber, numResults: hits.length, buttons, articles } };
    }
    case "item": {
      const { product, options: chosen, results } = page.visit;
      const { title, pricing } = product;
      const options = Object.entries(product.options).map(([name, values]) => ({ name, values, chosen: chosen[name] }));
      const buttons = [back, before, ...itemButtons.filter((text) => !text.startsWith("Rating"))];
      return { query: results.keywords, page: { kind: "item", title, price: toPriceTag(pricing), options, buttons } };
    }
    case "detail": {
      const texts = detailParts(page.visit.product, page.detail);
      const query = page.visit.results.keywords;
      return { query, page: { kind: "detail", name: page.detail, texts, buttons: [back, before] } };
    }
    case "done": {
      const { product, results } = page.visit;
      const options = Object.entries(page.visit.options);
      return { query: results.keywords, page: { kind: "receipt", asin: product.asin, options, score } };
    }
  }
}

function detailParts({ description, bullets }: Product, detail: Detail): readonly string[] {
  switch (detail) {
    case "description":
      return [description];
    case "features":
      return bullets;
    case "reviews":
      return [];
  }
}

/** Returns the text of the page after a purchase, with empty fields where WebShop leaves them empty. */
function toReceipt({ product, options }: Visit, score: number): string {
  const { head, middle, end } = receipt;
  return [...head, product.asin, "options", toJson(options), ...middle, toFloatText(score), ...end].join(separator);
}

/** Fixed texts of the page after a purchase, including WebShop's spelling mistake. */
export const receipt = {
  head: [
    "Thank you for shopping with us!",
    "Your code:",
    "None",
    "(Paste it in your MTurk interface.)",
    "Purchased",
    "asin",
  ],
  middle: [
    ..."attrs,None,category,None,query,None,product category,None".split(","),
    ..."Target,asin,options,attrs,price upper,instuction text,category,product category,query".split(","),
    ..."Goal,None,Reward".split(","),
    "Your score (min 0.0, max 1.0)",
  ],
  end: ["Reward Details", "None"],
} as const;

/** Formats options as JSON in Python's style, with a space after commas and colons. */
function toJson(options: Readonly<Record<string, string>>): string {
  const entries = Object.entries(options).map(([name, value]) => `${JSON.stringify(name)}: ${JSON.stringify(value)}`);
  return `{${entries.join(", ")}}`;
}
