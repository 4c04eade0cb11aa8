import { z } from "zod";
import { knob, maxTurns, projection, showAdmissible } from "./knob.ts";

/**
 * WebShop (arXiv:2207.01206): find and buy a product that matches an instruction, in a shop with a search and product
 * options.
 */
export const WebShopSpec = z.strictObject({
  id: z.literal("webshop"),
  catalogueSize: knob(
    [20, 2000],
    "Catalogue",
    "Articles in the shop. Up to 240 articles there are about six of a kind, beyond it 40 kinds; 1,000 is the original's small build.",
  ).default(60),
  siblings: knob(
    [0, 8],
    "Siblings",
    "Articles beside each that differ from it in one attribute, one option value or the price.",
  ).default(2),
  optionGroups: knob([0, 2], "Option groups", "Choices to make on an article's page, such as colour and size.").default(
    1,
  ),
  valuesPerGroup: knob([2, 6], "Values per group", "Values of each option that an article has.").default(3),
  attributesInGoal: knob([1, 3], "Attributes in the goal", "Attributes that the instruction asks for.").default(2),
  hiddenAttributes: z
    .boolean()
    .meta({
      title: "Hidden attributes",
      description: "One attribute of every article is missing in its title: description or features have it.",
    })
    .default(false),
  articleIds: z
    .enum(["slot", "asin"])
    .meta({
      title: "Article ids",
      description:
        "slot: a page of results numbers what it lists, item1, item2, …; asin: the original's ten characters, which a small policy must learn to copy.",
    })
    .default("slot"),
  resultsPerPage: knob([1, 10], "Results per page", "The original lists 10.").default(3),
  priceTightness: knob(
    [0, 3],
    "Price tightness",
    "0: the price bound is ten to forty dollars above the article's price, as in the original; 3: the next multiple of ten.",
  ).default(1),
  maxTurns: maxTurns(100).default(15),
  reward: z
    .enum(["sparse", "score", "dense"])
    .meta({
      title: "Reward",
      description:
        "sparse: 10 for buying what has the full score; score: the native score of what is bought, 0 to 1; dense: sparse, and every change of the score that buying at once would have.",
    })
    .default("sparse"),
  showAdmissible,
  projection,
});
export type WebShopSpec = z.infer<typeof WebShopSpec>;
