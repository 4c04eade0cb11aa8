import type { Page } from "./shop.ts";

/** Everything read so far that helps to decide. */
export type Memory = {
  /** ASINs whose pages were open, so that their options are known. */
  readonly visited: readonly string[];
  /** ASINs whose description or features were open, so that all their attributes are known. */
  readonly studied: readonly string[];
  /** The last search, and the last page of its results that was seen. */
  readonly keywords: string;
  readonly lastPage: number;
};

export const noMemory: Memory = { visited: [], studied: [], keywords: "", lastPage: 0 };

/** Adds the information of a page. */
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
