import { makeReplayLog, type ReplayReport } from "../replay.ts";
import { optionChoices, priceBoundsAbove, toGoal } from "./goals.ts";
import { clickablesOf, toPageText } from "./page.ts";
import { toPriceTag, type Goal, type Product } from "./product.ts";
import { scorePurchase, type Score } from "./reward.ts";
import {
  Recorded,
  type Catalogue,
  type Episode,
  type Info,
  type RatioCase,
  type RecordedGoal,
  type RewardCase,
} from "./recording.ts";
import { makeSearch } from "./search.ts";
import { act } from "./session.ts";
import type { Page, Shop } from "./shop.ts";
import { tokenSetRatio } from "./tokenSetRatio.ts";

/**
 * Compares with recordings of the original program: catalogue and goals, purchases with their rewards, fuzzy matches,
 * and episodes page by page. The recorded search stood in for Lucene: BM25 over titles, words as they are.
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
    if (record.kind === "catalogue") checkPrices(log, where, record);
    if (record.kind === "goals") checkGoals(log, where, { goals, products });
    if (record.kind === "reward_cases") checkRewards(log, where, { ...world, cases: record.cases });
    if (record.kind === "token_set_ratio") checkRatios(log, where, record.cases);
    if (record.kind === "episode") checkEpisode(log, where, { ...world, episode: record });
  });
  return log.report();
}

function toShop(products: readonly Product[]): Shop {
  const search = makeSearch(products, { toDocument: ({ title }) => title, stem: (word) => word });
  return { products, search, resultsPerPage: 10, articleIds: "asin" };
}

type Log = ReturnType<typeof makeReplayLog>;
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

function checkPrices(log: Log, where: string, { products, prices }: Catalogue): void {
  for (const { asin, pricing, Price } of products) {
    log.check("price tags", `${where}, ${asin}`, Price, toPriceTag(pricing));
    const [lowest = 100, highest = lowest] = pricing;
    const price = prices[asin] ?? Number.NaN;
    log.check("prices within their tags", `${where}, ${asin}`, true, price >= lowest && price <= highest);
  }
}

/** Text, bound, weight, and that the goals of a product are its choices of options. */
function checkGoals(
  log: Log,
  where: string,
  { goals, products }: { goals: readonly RecordedGoal[]; products: readonly Product[] },
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
    log.check("goals of a product", `${where}, ${product.asin}`, recorded, ours);
    for (const goal of ofProduct) {
      const at = `${where}, ${goal.instruction_text}`;
      const { goal_options: options, price_upper: priceUpper, attributes } = goal;
      const { instruction } = toGoal(product, { attributes, options, priceUpper });
      log.check("goal texts", at, goal.instruction_text, instruction);
      const bounds = priceBoundsAbove(product.price, 4).slice(1);
      log.check("goal prices", at, true, bounds.includes(priceUpper));
      const weight = attributes.reduce((sum, name) => sum + 1 / (frequencies.get(name) ?? 0), 0) / attributes.length;
      log.check("goal weights", at, toTwelveDigits(goal.weight), toTwelveDigits(weight));
    }
  }
}

function checkRewards(log: Log, where: string, { shop, goals, cases }: World & { cases: readonly RewardCase[] }): void {
  cases.forEach(({ asin, goal: goalIndex, options, price, reward, info }, i) => {
    const at = `${where}, case ${i + 1}`;
    const [product, goal] = [shop.products.find((product) => product.asin === asin), goals[goalIndex]];
    const score = product && goal && scorePurchase(goal, { ...product, price }, options);
    log.check("rewards", at, toTwelveDigits(reward), score && toTwelveDigits(score.total));
    checkInfo(log, at, info, score);
  });
}

function checkInfo(log: Log, where: string, info: Info, score: Score | undefined): void {
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
  log.check(
    "reward parts",
    where,
    recorded,
    score && [numbers, [score.isPriceRight, score.isSameQuery, score.isSameCategory]],
  );
}

function checkRatios(log: Log, where: string, cases: readonly RatioCase[]): void {
  for (const [a, b, ratio] of cases)
    log.check("fuzzy matches", `${where}, "${a}" and "${b}"`, ratio, tokenSetRatio(a, b));
}

function checkEpisode(log: Log, where: string, { shop, goals, episode }: World & { episode: Episode }): void {
  const goal = goals[episode.goal_index];
  if (!goal) return log.check("goals of episodes", where, episode.goal_index, undefined);
  let page: Page = { kind: "search" };
  const observe = (score: number): string => toPageText(shop, page, { instruction: goal.instruction, score });
  log.check("pages", `${where}, start`, episode.initial_obs, observe(0));
  log.check("clickables", `${where}, start`, episode.initial_actions.clickables, clickablesOf(shop, page));
  episode.steps.forEach((step, i) => {
    const at = `${where}, step ${i + 1} (${step.cmd})`;
    page = act(shop, page, step.cmd);
    const score = page.kind === "done" ? scorePurchase(goal, page.visit.product, page.visit.options) : undefined;
    const total = score?.total ?? 0;
    log.check("pages", at, step.obs, observe(total));
    log.check("clickables", at, step.clickables, clickablesOf(shop, page));
    log.check("search bars", at, step.has_search_bar, page.kind === "search");
    log.check("rewards", at, toTwelveDigits(step.reward), toTwelveDigits(total));
    log.check("endings", at, step.done, page.kind === "done");
    if (step.info) checkInfo(log, at, step.info, score);
  });
}

/** Sums taken in another order differ in their last bits. */
function toTwelveDigits(value: number): string {
  return value.toPrecision(12);
}
