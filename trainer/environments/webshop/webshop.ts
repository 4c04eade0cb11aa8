import type { WebShopSpec } from "#trainer/spec/environments/webshop.ts";
import { usualShapes } from "#trainer/spec/rowTokens.ts";
import type { Ending, Environment, PromptInput } from "../environment.ts";
import { parseLeniently, parseResponse } from "../response.ts";
import { type Article, makeCatalogue } from "./catalogue.ts";
import { advise, type Sight, thoughtWords } from "./expert.ts";
import { toMemory } from "../prompt.ts";
import { act, type Memory, noMemory, remember } from "./session.ts";
import { clickablesOf, separator, toPageParts, toPageText, toScene } from "./page.ts";
import { type Goal, normalizeColor, type Product, toPriceTag } from "./product.ts";
import { isChosen, scorePurchase } from "./reward.ts";
import { makeSearch } from "./search.ts";
import { listedOn, type Page, type Shop } from "./shop.ts";
import { makeTasks } from "./tasks.ts";
import { makeCodec } from "./words/codec.ts";
import { anyQuery, makeVocabulary } from "./words/vocabulary.ts";

export type WebShopState = {
  readonly goal: Goal;
  readonly department: string;
  readonly page: Page;
  readonly memory: Memory;
  /** Score of the purchase in [0, 1]; 0 before a purchase. */
  readonly score: number;
  readonly turns: number;
};

/**
 * Makes a WebShop environment: search a shop, open a product, choose its options, buy it. The catalogue is the same
 * for every task of a specification; a task is an instruction. A purchase with the full score is a success. Any
 * purchase ends the episode.
 */
export function makeWebShop(spec: WebShopSpec): Environment<WebShopState> {
  const articles = makeCatalogue(spec);
  const { resultsPerPage, articleIds } = spec;
  const shop: Shop = { products: articles, search: makeSearch(articles), resultsPerPage, articleIds };
  const taskOf = makeTasks(articles, spec);
  const { words, toWords, fromWords } = makeCodec(articles, {
    listing: shop,
    thoughtWords,
    maxActionWords: actionWords(spec),
  });
  const observe = (state: WebShopState): string => toObservation(shop, state);
  const toSight = ({ goal, page, memory }: WebShopState): Sight => {
    return { shop, goal, page, memory, areTitlesShort: spec.hiddenAttributes };
  };
  return {
    reset(seed) {
      const page: Page = { kind: "search" };
      const state: WebShopState = { ...taskOf(seed), page, memory: noMemory, score: 0, turns: 0 };
      return { state, observation: observe(state) };
    },
    step(before, action) {
      const state = advance(before, act(shop, before.page, action));
      return {
        state,
        observation: observe(state),
        reward: rewardOf(spec.reward, before, state),
        ending: toEnding(state, spec.maxTurns),
      };
    },
    project(_, response) {
      // A valid format suffices: a click on something that the page lacks is also a valid action.
      const isLenient = spec.projection === "lenient";
      const { isFormatValid, action } = isLenient ? parseLeniently(response, 20) : parseResponse(response);
      return { isFormatValid, isActionValid: isFormatValid, action };
    },
    admissibleActions: ({ page }) => [
      ...(page.kind === "search" ? [`search[${anyQuery}]`] : []),
      ...clickablesOf(shop, page).map((text) => `click[${text}]`),
    ],
    expert: (state) => advise(toSight(state)),
    task: ({ goal }) => goal.instruction,
    anchor: observe,
    isSuccess: ({ score }) => score === 1,
    taskType: ({ department }) => department,
    score: ({ score }) => score,
    optimalLength: ({ goal, page }) => shortestPurchase(shop, goal, page),
    scene: ({ page, score }) => ({ environment: "webshop", ...toScene(shop, page, score) }),
    toWords,
    fromWords,
    renderFull: renderFullPrompt,
    taskTypes: [...new Set(articles.map(({ department }) => department))].sort(),
    instruction,
    words,
    maxWords: measureWords(articles, spec),
    rewardRange: rewardRanges[spec.reward],
    maxTurns: spec.maxTurns,
    shape: usualShapes.webshop,
  };
}

function advance(before: WebShopState, page: Page): WebShopState {
  return {
    ...before,
    page,
    memory: remember(before.memory, page),
    score: page.kind === "done" ? scoreAtOnce(before.goal, page) : 0,
    turns: before.turns + 1,
  };
}

const fullReward = 10;
const rewardRanges = { sparse: [0, fullReward], score: [0, 1], dense: [-1, fullReward + 1] } as const;

/** Returns the observation in verl-agent's form: the page's texts after the instruction, each in quotes. */
function toObservation(shop: Shop, { page, goal, score }: WebShopState): string {
  if (page.kind === "done") return toPageText(shop, page, { instruction: goal.instruction, score });
  return toPageParts(shop, page)
    .map((text) => `'${text}'`)
    .join(separator);
}

/** Returns the score that buying the open product with its current options would give, or 0 if no product is open. */
function scoreAtOnce(goal: Goal, page: Page): number {
  if (page.kind === "search" || page.kind === "results") return 0;
  return scorePurchase(goal, page.visit.product, page.visit.options).total;
}

function rewardOf(reward: WebShopSpec["reward"], before: WebShopState, after: WebShopState): number {
  const sparse = after.score === 1 ? fullReward : 0;
  switch (reward) {
    case "sparse":
      return sparse;
    case "score":
      return after.score;
    case "dense":
      return sparse + scoreAtOnce(after.goal, after.page) - scoreAtOnce(before.goal, before.page);
  }
}

function toEnding({ page, turns }: WebShopState, maxTurns: number): Ending {
  if (page.kind === "done") return "terminated";
  return turns >= maxTurns ? "truncated" : "ongoing";
}

/**
 * Returns the number of turns in the shortest purchase with the full score, given full knowledge. The turns are a
 * search that lists the product, opening it, choosing its options, and buying it. Undefined after a purchase.
 */
function shortestPurchase(shop: Shop, goal: Goal, page: Page): number | undefined {
  const numOptions = Object.keys(goal.options).length;
  const fromResults = 1 + numOptions + 1;
  switch (page.kind) {
    case "done":
      return undefined;
    case "search":
      return 1 + fromResults;
    case "results":
      return fromResults + (listedOn(shop, page.results).some((product) => canBeFull(goal, product)) ? 0 : 1);
    case "item":
    case "detail": {
      const { product, options } = page.visit;
      if (!canBeFull(goal, product)) return 1 + fromResults;
      const chosen = Object.values(options).map(normalizeColor);
      const open = Object.entries(goal.options).filter((option) => !isChosen(option, chosen)).length;
      return Math.min(open + 1 + (page.kind === "detail" ? 1 : 0), 1 + fromResults);
    }
  }
}

/** True if the product gets the full score when the goal's option values are chosen, as far as the product has them. */
function canBeFull(goal: Goal, product: Product): boolean {
  const chosen = Object.entries(goal.options).filter(([name, value]) => product.options[name]?.includes(value));
  return scorePurchase(goal, product, Object.fromEntries(chosen)).total === 1;
}

type MaxWords = Environment<never>["maxWords"];

/** Returns the maximum length of each kind of text in words, from the longest texts that this shop can print. */
function measureWords(articles: readonly Article[], spec: WebShopSpec): MaxWords {
  const { runOf } = makeVocabulary(articles, spec);
  const lengthOf = (text: string): number => runOf.get(text)?.split(" ").length ?? 0;
  const total = (texts: readonly string[]): number => texts.reduce((sum, text) => sum + lengthOf(text), 0);
  const longest = (lengths: readonly number[]): number => Math.max(0, ...lengths);
  const offers = articles
    .map(({ title, pricing }) => idWords(spec) + total([title, toPriceTag(pricing)]))
    .sort((x, y) => y - x);
  // A results page has, besides its products: back, prev, next, `page`, `of`, and the digits of two counts.
  const resultsHead = 3 + 2 + String(spec.maxTurns + 1).length + 2;
  const results = resultsHead + offers.slice(0, spec.resultsPerPage).reduce((sum, length) => sum + length, 0);
  const items = articles.map(({ options, title, pricing }) => {
    const choices = Object.entries(options).flat(2);
    // The constant counts back, prev, and the buttons below the product, which are one word.
    return 3 + total([...choices, title, `Price: ${toPriceTag(pricing)}`]);
  });
  const details = articles.map(({ description, bullets }) => 2 + Math.max(total([description]), total(bullets)));
  const numOptions = longest(articles.map(({ options }) => Object.keys(options).length));
  // Maximum words of a task: a first word that marks it, attributes, kind, each option, and a price bound.
  const task = 2 + spec.attributesInGoal + 2 * numOptions + 2;
  const action = actionWords(spec);
  return {
    task,
    observation: Math.max(results, longest(items), longest(details), 4 + 2 * numOptions + scoreDigits),
    action,
    response: tagWords + maxThoughtWords + action,
    admissible: spec.showAdmissible ? listLength(articles, spec) : 0,
  };
}

/** Returns the number of a small policy's words in a product's id. An ASIN is two words. */
function idWords({ articleIds }: WebShopSpec): number {
  return articleIds === "asin" ? 2 : 1;
}

/** Returns the number of words in the expert's longest query, which also limits a policy's query. */
function actionWords({ attributesInGoal }: WebShopSpec): number {
  return 2 + Math.max(attributesInGoal, 1);
}

const tagWords = 4;
const maxThoughtWords = 4;
/** Maximum number of characters in a score as Python prints it, such as 0.16666666666666666. */
const scoreDigits = 20;

/** Returns the words of the longest list of admissible actions, with a separator between actions. */
function listLength(articles: readonly Article[], { resultsPerPage }: WebShopSpec): number {
  const results = 3 * 3 + resultsPerPage * 4;
  const itemLengths = articles.map(({ options }) => 3 * (6 + Object.values(options).flat().length));
  return Math.max(results, ...itemLengths);
}

const instruction = `You are an expert agent shopping in the WebShop environment. Find an article that fits the instruction, choose its options and buy it.
search[words] looks for articles, from any page; click[text] presses what a page shows. A page does not show which options are chosen.`;

/** Renders the prompt with verl-agent's fields, without history if it is too long for verl-agent's models. */
function renderFullPrompt(input: PromptInput, historyLength: number): string {
  const whole = render(input, historyLength);
  return whole.length > maxCharacters ? render(input, 0) : whole;
}

const maxCharacters = 13_000;

function render({ task, past, observation, admissibleActions }: PromptInput, historyLength: number): string {
  const numShown = Math.min(historyLength, past.length);
  const step = past.length + 1;
  const progress =
    numShown === 0
      ? []
      : [
          `You have taken ${past.length} step(s) so far. The last ${numShown} observation(s) and action(s):`,
          toMemory(past, historyLength),
          `You are now at step ${step}.`,
        ];
  return [
    instruction,
    `Your task is: ${task}.`,
    ...progress,
    `Your current observation is: ${observation}.`,
    "Your admissible actions of the current situation are:",
    "[",
    ...admissibleActions().map((action) => `'${action}',`),
    "].",
    "First reason inside <think> </think> tags, then give one admissible action inside <action> </action> tags.",
  ].join("\n");
}
