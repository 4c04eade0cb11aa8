import type { Moment } from "#server/playground/play.ts";
import { readShopPage, type OptionGroup, type ShopPage } from "./readShopPage.ts";

/** A page with the query and the chosen options, which the page does not print: earlier turns have them. */
export type Shop = {
  page: ShopPage;
  /** Undefined before the first search. */
  query: string | undefined;
  /** Chosen value by option group. */
  chosen: ReadonlyMap<string, string>;
  /** The open text of an article: description, features or reviews. */
  detail: string | undefined;
};

/** The shop at a moment of an episode; undefined if the observation is not a shop page. */
export function readShop({ observation, turns, admissible }: Pick<Moment, "observation" | "turns" | "admissible">) {
  const page = readShopPage(observation, admissible);
  if (page === undefined) return undefined;
  const query = turns.flatMap(({ action }) => readCommand(action, "search") ?? []).at(-1);
  const last = turns.at(-1);
  const shop: Shop = {
    page,
    query: page.kind === "search" ? undefined : query,
    chosen: page.kind === "item" ? readChoices(page.options, clicksSinceOpened(turns)) : new Map(),
    detail: page.kind === "detail" && last ? lastDetail(turns) : undefined,
  };
  return shop;
}

/** The argument of `search[…]` or `click[…]` in lower case, as the shop compares it; undefined for other actions. */
export function readCommand(action: string, wanted: "search" | "click"): string | undefined {
  const [, verb, argument] = /^(.+)\[(.+)\]/.exec(action) ?? [];
  return verb === wanted ? argument?.toLowerCase() : undefined;
}

/** Leaving an article resets its options; opening its description keeps them. */
function clicksSinceOpened(turns: Moment["turns"]): string[] {
  const from = turns.findLastIndex(({ observation }) => !isOfArticle(observation)) + 1;
  return turns.slice(from).flatMap(({ action }) => readCommand(action, "click") ?? []);
}

function isOfArticle(observation: string): boolean {
  return observation.startsWith("'Back to Search' [SEP] '< Prev'");
}

/** The last click wins. If several groups have the value, the last group gets it. */
function readChoices(groups: readonly OptionGroup[], clicks: readonly string[]): Map<string, string> {
  const chosen = new Map<string, string>();
  for (const click of clicks) {
    for (const { name, values } of groups.toReversed()) {
      const value = values.find((value) => value.toLowerCase() === click);
      if (value === undefined) continue;
      chosen.set(name, value);
      break;
    }
  }
  return chosen;
}

const details = ["description", "features", "reviews"];

/** The text opened last. Invalid clicks leave its page open. */
function lastDetail(turns: Moment["turns"]): string | undefined {
  return turns.flatMap(({ action }) => readCommand(action, "click") ?? []).findLast((click) => details.includes(click));
}
