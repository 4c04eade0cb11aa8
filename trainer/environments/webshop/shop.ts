import type { Product } from "./product.ts";
import type { Search } from "./search.ts";

/** Products, search function and page layout of a shop, the same for every task. */
export type Shop = {
  readonly products: readonly Product[];
  readonly search: Search;
} & Listing;

/** Layout of a search's results: products per page, and the kind of their ids (ASIN or position on the page). */
export type Listing = { readonly resultsPerPage: number; readonly articleIds: "asin" | "slot" };

export type Results = {
  readonly keywords: string;
  /** Catalogue indices of the products found, best first. */
  readonly hits: readonly number[];
  /** Number of the open results page, counted from 1. Pages beyond the last one are empty. */
  readonly pageNumber: number;
};

/** An open product page with the chosen options, which the page does not show. */
export type Visit = {
  readonly results: Results;
  readonly product: Product;
  readonly options: Readonly<Record<string, string>>;
};

export const details = ["description", "features", "reviews"] as const;
export type Detail = (typeof details)[number];

export type Page =
  | { readonly kind: "search" }
  | { readonly kind: "results"; readonly results: Results }
  | { readonly kind: "item"; readonly visit: Visit }
  | { readonly kind: "detail"; readonly visit: Visit; readonly detail: Detail }
  | { readonly kind: "done"; readonly visit: Visit };

export function listedOn({ products, resultsPerPage }: Shop, { hits, pageNumber }: Results): readonly Product[] {
  return hits.slice((pageNumber - 1) * resultsPerPage, pageNumber * resultsPerPage).flatMap((id) => products[id] ?? []);
}

export function idOf({ articleIds }: Listing, { asin }: Product, index: number): string {
  return articleIds === "asin" ? asin : slotId(index);
}

/** Returns the clickable id of a product by its position on the page, from 0. */
export function slotId(index: number): string {
  return `item${index + 1}`;
}
