import { type Goal, normalizeColor, type Product } from "./product.ts";
import { isChosen, scorePurchase } from "./reward.ts";
import { listedOn, type Page, type Shop } from "./shop.ts";

/**
 * Returns the number of turns in the shortest purchase with the full score, given full knowledge. The turns are a
 * search that lists the product, opening it, choosing its options, and buying it. Undefined after a purchase.
 */
export function shortestPurchase(shop: Shop, goal: Goal, page: Page): number | undefined {
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
