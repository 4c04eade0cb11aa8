import { z } from "zod";
import { type Check, makeReplayLog, type ReplayLog, type ReplayReport } from "../../testing/replayLog.ts";
import { act, priceBoundsAbove, toGoal } from "../session.ts";
import { clickablesOf, toPageText } from "../page.ts";
import { type Goal, type Product, toPriceTag } from "../product.ts";
import { type Score, scorePurchase } from "../reward.ts";
import { makeSearch } from "../search.ts";
import type { Page, Shop } from "../shop.ts";
import { tokenSetRatio } from "../tokenSetRatio.ts";

/**
 * Compares this environment with recordings of the original WebShop program: catalogue and goals, purchases with
 * their rewards, fuzzy matches, and episodes page by page. Instead of Lucene, the recorded program searched by BM25
 * over titles, without stemming.
 */
export function replayWebShop(records: readonly unknown[]): ReplayReport {
  const recorded = records.map((record) => Recorded.parse(record));
  const log = makeReplayLog();
  const products = recorded.flatMap((record) => (record.kind === "catalogue" ? toProducts(record) : []));
  const goals = recorded.flatMap((record) => (record.kind === "goals" ? record.goals : []));
  const world = {
    shop: toShop(products),
    goals: goals.map(readGoal),
  };
  recorded.forEach((record, i) => {
    const where = `record ${i + 1}`;
    const checkAt: CheckAt = (at) => log.at(`${where}, ${at}`);
    if (record.kind === "catalogue") checkPrices(record, checkAt);
    if (record.kind === "goals") checkGoals({ goals, products }, checkAt);
    if (record.kind === "reward_cases") checkRewards({ ...world, cases: record.cases }, checkAt);
    if (record.kind === "token_set_ratio") checkRatios(record.cases, checkAt);
    if (record.kind === "episode") checkEpisode({ ...world, episode: record }, checkAt);
  });
  return log.report();
}

function toShop(products: readonly Product[]): Shop {
  const search = makeSearch(products, { toDocument: ({ title }) => title, stem: (word) => word });
  return { products, search, resultsPerPage: 10, articleIds: "asin" };
}

/** Function that returns the comparing function for a named position in the recording. */
type CheckAt = ReplayLog["at"];
type World = { shop: Shop; goals: readonly Goal[] };

function toProducts({ products, prices }: Catalogue): Product[] {
  return products.map((product) => ({
    asin: product.asin,
    query: product.query,
    productCategory: product.product_category,
    title: product.Title,
    description: product.Description,
    bullets: product.BulletPoints,
    pricing: product.pricing,
    price: prices[product.asin] ?? Number.NaN,
    options: product.options,
    attributes: product.Attributes,
  }));
}

function readGoal(goal: RecordedGoal): Goal {
  return {
    instruction: goal.instruction_text,
    query: goal.query,
    productCategory: goal.product_category,
    title: goal.name,
    attributes: goal.attributes,
    options: goal.goal_options,
    priceUpper: goal.price_upper,
  };
}

function checkPrices({ products, prices }: Catalogue, checkAt: CheckAt): void {
  for (const { asin, pricing, Price } of products) {
    const check = checkAt(asin);
    check("price tags", Price, toPriceTag(pricing));
    const [lowest = 100, highest = lowest] = pricing;
    const price = prices[asin] ?? Number.NaN;
    check("prices within their tags", true, price >= lowest && price <= highest);
  }
}

/** Compares each goal's text, price bound and weight, and checks that each choice of options has one goal. */
function checkGoals(
  { goals, products }: { goals: readonly RecordedGoal[]; products: readonly Product[] },
  checkAt: CheckAt,
): void {
  const frequencies = new Map<string, number>();
  for (const attribute of goals.flatMap(({ attributes }) => attributes)) {
    frequencies.set(attribute, (frequencies.get(attribute) ?? 0) + 1);
  }
  for (const product of products) {
    const ofProduct = goals.filter(({ asin }) => asin === product.asin);
    const sortedTexts = (choices: readonly unknown[]): string[] =>
      choices.map((choice) => JSON.stringify(choice)).sort();
    const [recorded, ours] = [ofProduct.map((goal) => goal.goal_options), optionChoices(product.options)].map(
      sortedTexts,
    );
    checkAt(product.asin)("goals of a product", recorded, ours);
    for (const goal of ofProduct) {
      const check = checkAt(goal.instruction_text);
      const { goal_options: options, price_upper: priceUpper, attributes } = goal;
      const { instruction } = toGoal(product, { attributes, options, priceUpper });
      check("goal texts", goal.instruction_text, instruction);
      const bounds = priceBoundsAbove(product.price, 4).slice(1);
      check("goal prices", true, bounds.includes(priceUpper));
      const weight = attributes.reduce((sum, name) => sum + 1 / (frequencies.get(name) ?? 0), 0) / attributes.length;
      check("goal weights", toTwelveDigits(goal.weight), toTwelveDigits(weight));
    }
  }
}

function checkRewards({ shop, goals, cases }: World & { cases: readonly RewardCase[] }, checkAt: CheckAt): void {
  cases.forEach(({ asin, goal: goalIndex, options, price, reward, info }, i) => {
    const check = checkAt(`case ${i + 1}`);
    const [product, goal] = [shop.products.find((product) => product.asin === asin), goals[goalIndex]];
    const score = product && goal && scorePurchase(goal, { ...product, price }, options);
    check("rewards", toTwelveDigits(reward), score && toTwelveDigits(score.total));
    checkInfo(info, score, check);
  });
}

function checkInfo(info: Info, score: Score | undefined, check: Check): void {
  const recorded = [
    [info.r_type, info.r_att, info.r_option ?? null, info.title_score, info.w_att, info.w_option ?? 0, info.w_price],
    [info.r_price, info.query_match, info.category_match],
  ];
  const { weights } = score ?? {};
  const numbers =
    score &&
    [
      [score.type, score.attributes, score.options ?? null, score.titleOverlap],
      [weights?.attributes, weights?.options, weights?.price],
    ].flat();
  check("reward parts", recorded, score && [numbers, [score.isPriceRight, score.isSameQuery, score.isSameCategory]]);
}

function checkRatios(cases: readonly RatioCase[], checkAt: CheckAt): void {
  for (const [a, b, ratio] of cases) checkAt(`"${a}" and "${b}"`)("fuzzy matches", ratio, tokenSetRatio(a, b));
}

function checkEpisode({ shop, goals, episode }: World & { episode: Episode }, checkAt: CheckAt): void {
  const goal = goals[episode.goal_index];
  const checkStart = checkAt("start");
  if (!goal) return checkStart("goals of episodes", episode.goal_index, undefined);
  let page: Page = { kind: "search" };
  const observe = (score: number): string => toPageText(shop, page, { instruction: goal.instruction, score });
  checkStart("pages", episode.initial_obs, observe(0));
  checkStart("clickables", episode.initial_actions.clickables, clickablesOf(shop, page));
  episode.steps.forEach((step, i) => {
    const check = checkAt(`step ${i + 1} (${step.cmd})`);
    page = act(shop, page, step.cmd);
    const score = page.kind === "done" ? scorePurchase(goal, page.visit.product, page.visit.options) : undefined;
    const total = score?.total ?? 0;
    check("pages", step.obs, observe(total));
    check("clickables", step.clickables, clickablesOf(shop, page));
    check("search bars", step.has_search_bar, page.kind === "search");
    check("rewards", toTwelveDigits(step.reward), toTwelveDigits(total));
    check("endings", step.done, page.kind === "done");
    if (step.info) checkInfo(step.info, score, check);
  });
}

/** Formats a number with twelve digits for comparison, because sums in different order differ in their last bits. */
function toTwelveDigits(value: number): string {
  return value.toPrecision(12);
}

/** Schemas for the lines of a recording of the original WebShop program, reduced to the compared fields. */
const Options = z.record(z.string(), z.string());
const RecordedProduct = z.object({
  asin: z.string(),
  query: z.string(),
  product_category: z.string(),
  Title: z.string(),
  Description: z.string(),
  BulletPoints: z.array(z.string()),
  Price: z.string(),
  pricing: z.array(z.number()),
  options: z.record(z.string(), z.array(z.string())),
  Attributes: z.array(z.string()),
});
const RecordedGoal = z.object({
  asin: z.string(),
  query: z.string(),
  name: z.string(),
  product_category: z.string(),
  instruction_text: z.string(),
  attributes: z.array(z.string()),
  price_upper: z.number(),
  goal_options: Options,
  weight: z.number(),
});
type RecordedGoal = z.infer<typeof RecordedGoal>;
const Info = z.object({
  r_type: z.number(),
  r_att: z.number(),
  w_att: z.number(),
  query_match: z.boolean(),
  category_match: z.boolean(),
  title_score: z.number(),
  r_option: z.number().optional(),
  w_option: z.number().optional(),
  r_price: z.boolean(),
  w_price: z.number(),
});
type Info = z.infer<typeof Info>;
const RewardCase = z.object({
  asin: z.string(),
  goal: z.int(),
  options: Options,
  price: z.number(),
  reward: z.number(),
  info: Info,
});
type RewardCase = z.infer<typeof RewardCase>;
const RatioCase = z.tuple([z.string(), z.string(), z.number()]);
type RatioCase = z.infer<typeof RatioCase>;
const Catalogue = z.object({
  kind: z.literal("catalogue"),
  products: z.array(RecordedProduct),
  prices: z.record(z.string(), z.number()),
});
type Catalogue = z.infer<typeof Catalogue>;
const Episode = z.object({
  kind: z.literal("episode"),
  goal_index: z.int(),
  initial_obs: z.string(),
  initial_actions: z.object({ has_search_bar: z.boolean(), clickables: z.array(z.string()) }),
  steps: z.array(
    z.object({
      cmd: z.string(),
      obs: z.string(),
      reward: z.number(),
      done: z.boolean(),
      clickables: z.array(z.string()),
      has_search_bar: z.boolean(),
      info: Info.nullable(),
    }),
  ),
});
type Episode = z.infer<typeof Episode>;
const Recorded = z.discriminatedUnion("kind", [
  Catalogue,
  z.object({ kind: z.literal("goals"), goals: z.array(RecordedGoal) }),
  z.object({ kind: z.literal("reward_cases"), cases: z.array(RewardCase) }),
  z.object({ kind: z.literal("token_set_ratio"), cases: z.array(RatioCase) }),
  Episode,
]);

/** Returns all combinations of option values. The last option changes fastest. */
function optionChoices(options: Product["options"]): readonly Readonly<Record<string, string>>[] {
  return Object.entries(options).reduce<readonly Readonly<Record<string, string>>[]>(
    (choices, [name, values]) => choices.flatMap((choice) => values.map((value) => ({ ...choice, [name]: value }))),
    [{}],
  );
}
