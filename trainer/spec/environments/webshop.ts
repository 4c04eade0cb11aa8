import { z } from "zod";
import { choice, count, flag, maxTurns, projection, showAdmissible } from "../setting.ts";

/** Schema of the settings of WebShop (arXiv:2207.01206; task: find and buy a product that matches an instruction). */
export const WebShopSpec = z.strictObject({
  id: z.literal("webshop"),
  catalogueSize: count(
    [20, 2000],
    "Catalogue",
    "Number of products in the shop. Shops of up to 240 products have about six products of each kind; larger shops have 40 kinds. The small version of the original WebShop has 1,000 products.",
  ).default(60),
  siblings: count(
    [0, 8],
    "Siblings",
    "Number of similar products per product. Each similar product differs in one attribute, one option value or the price.",
  ).default(2),
  optionGroups: count(
    [0, 2],
    "Option groups",
    "Number of options on a product's page, such as colour and size.",
  ).default(1),
  valuesPerGroup: count([2, 6], "Values per group", "Number of values of each option of a product.").default(3),
  attributesInGoal: count(
    [1, 3],
    "Attributes in the goal",
    "Number of attributes that the instruction asks for.",
  ).default(2),
  hiddenAttributes: flag(
    "Hidden attributes",
    "Leaves one attribute of every product out of the product's title. The description or the features contain this attribute.",
  ).default(false),
  articleIds: choice(
    ["slot", "asin"],
    "Product ids",
    "slot: the results page numbers its products item1, item2, …; asin: ids of ten characters as in the original WebShop, which a small policy must learn to copy.",
  ).default("slot"),
  resultsPerPage: count(
    [1, 10],
    "Results per page",
    "Number of products per results page. The original WebShop lists 10.",
  ).default(3),
  priceTightness: count(
    [0, 3],
    "Price tightness",
    "Closeness of the price limit to the product's price. 0: the limit is 10 to 40 dollars above the price, as in the original WebShop; 3: the limit is the next multiple of ten dollars.",
  ).default(1),
  maxTurns: maxTurns(100).default(15),
  reward: choice(
    ["sparse", "score", "dense"],
    "Reward",
    "sparse: 10 for buying a product with the full score; score: native score of the bought product, 0 to 1; dense: the sparse reward, plus every change of the score that an immediate purchase would have.",
  ).default("sparse"),
  showAdmissible,
  projection,
});
export type WebShopSpec = z.infer<typeof WebShopSpec>;
