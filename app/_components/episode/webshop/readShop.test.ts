import { expect, it } from "vitest";
import { WebShopSpec } from "#trainer/spec/environments/webshop.ts";
import { taskSeeds } from "#trainer/spec/environment.ts";
import { listedOn } from "#trainer/environments/webshop/shop.ts";
import { makeWebShop } from "#trainer/environments/webshop/webshop.ts";
import { toPriceTag } from "#trainer/environments/webshop/product.ts";
import { makeCatalogue } from "#trainer/environments/webshop/catalogue.ts";
import { walk } from "../testing/walk.ts";
import { readShop } from "./readShop.ts";

const specs = {
  standard: {},
  "ASINs, two groups, long pages": {
    articleIds: "asin",
    optionGroups: 2,
    valuesPerGroup: 5,
    resultsPerPage: 10,
    hiddenAttributes: true,
    catalogueSize: 300,
  },
  "no options": { optionGroups: 0 },
} as const;

it.each(Object.entries(specs))("a shop is read as it is at every turn: %s", (_, knobs) => {
  const spec = WebShopSpec.parse({ id: "webshop", ...knobs });
  const environment = makeWebShop(spec);
  const products = makeCatalogue(spec);
  const seen = new Set<string>();
  for (let seed = taskSeeds.train.from; seed < taskSeeds.train.from + 40; seed++) {
    for (const { state, moment } of walk(environment, seed)) {
      const { page, score } = state;
      // After the last turn nothing can be clicked, so option values and group names cannot be told apart.
      if (page.kind === "item" && moment.admissible.length === 0) continue;
      seen.add(page.kind);
      const shop = readShop(moment);
      switch (page.kind) {
        case "search":
          expect(shop).toMatchObject({ page: { kind: "search" }, query: undefined });
          break;
        case "results": {
          const { hits, keywords, pageNumber } = page.results;
          const listed = listedOn({ ...spec, products, search: () => [] }, page.results);
          expect(shop).toMatchObject({
            query: keywords,
            page: {
              numResults: hits.length,
              pageNumber,
              articles: listed.map(({ title, pricing }) => ({ title, price: toPriceTag(pricing) })),
            },
          });
          break;
        }
        case "item": {
          const { product, options, results } = page.visit;
          expect(shop).toMatchObject({ query: results.keywords, page: { title: product.title } });
          expect(shop?.page).toMatchObject({
            price: toPriceTag(product.pricing),
            options: Object.entries(product.options).map(([name, values]) => ({ name, values })),
          });
          expect(Object.fromEntries(shop?.chosen ?? [])).toEqual(options);
          break;
        }
        case "detail":
          expect(shop).toMatchObject({ detail: page.detail, page: { kind: "detail" } });
          break;
        case "done":
          expect(shop?.page).toEqual({
            kind: "receipt",
            asin: page.visit.product.asin,
            options: Object.entries(page.visit.options),
            score,
          });
          break;
      }
    }
  }
  expect([...seen].sort()).toEqual(["detail", "done", "item", "results", "search"]);
});

it.each([
  "",
  "Nothing happens.",
  "'Back to Search'",
  "'Back to Search' [SEP] 'Page one' [SEP] 'Next >'",
  "'a' [SEP] 'b'",
])("other text is no shop: %j", (observation) => {
  expect(readShop({ observation, turns: [], admissible: [] })).toBeUndefined();
});
