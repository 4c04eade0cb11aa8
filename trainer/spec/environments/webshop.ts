import { z } from "zod";
import { knob, maxTurns, projection, showAdmissible } from "./knob.ts";

/** Schema of the settings of WebShop (arXiv:2207.01206; task: find and buy a product that matches an instruction). */
export const WebShopSpec = z.strictObject({
  id: z.literal("webshop"),
  catalogueSize: knob(
    [20, 2000],
    "Catalogue",
    "Number of articles in the shop. Up to 240 articles, each kind has about six; larger shops have 40 kinds. The original's small version has 1,000.",
  ).default(60),
  siblings: knob(
    [0, 8],
    "Siblings",
    "Number of similar articles per article, each different in one attribute, one option value or the price.",
  ).default(2),
  optionGroups: knob(
    [0, 2],
    "Option groups",
    "Number of options on an article's page, such as colour and size.",
  ).default(1),
  valuesPerGroup: knob([2, 6], "Values per group", "Number of values of each option of an article.").default(3),
  attributesInGoal: knob(
    [1, 3],
    "Attributes in the goal",
    "Number of attributes that the instruction asks for.",
  ).default(2),
  hiddenAttributes: z
    .boolean()
    .meta({
      title: "Hidden attributes",
      description:
        "Leaves one attribute of every article out of its title; the description or the features contain it.",
    })
    .default(false),
  articleIds: z
    .enum(["slot", "asin"])
    .meta({
      title: "Article ids",
      description:
        "slot: the results page numbers its articles item1, item2, …; asin: the original's ids of ten characters, which a small policy must learn to copy.",
    })
    .default("slot"),
  resultsPerPage: knob(
    [1, 10],
    "Results per page",
    "Number of articles per results page; the original lists 10.",
  ).default(3),
  priceTightness: knob(
    [0, 3],
    "Price tightness",
    "0: the price limit is 10 to 40 dollars above the article's price, as in the original; 3: the price limit is the next multiple of ten dollars.",
  ).default(1),
  maxTurns: maxTurns(100).default(15),
  reward: z
    .enum(["sparse", "score", "dense"])
    .meta({
      title: "Reward",
      description:
        "sparse: 10 for buying an article with the full score; score: native score of the bought article, 0 to 1; dense: sparse, plus every change of the score that an immediate purchase would have.",
    })
    .default("sparse"),
  showAdmissible,
  projection,
});
export type WebShopSpec = z.infer<typeof WebShopSpec>;
