import type { Goal, Product } from "./product.ts";

export type Wish = {
  attributes: readonly string[];
  options: Readonly<Record<string, string>>;
  /** Maximum price in dollars; undefined where the price does not matter. */
  priceUpper: number | undefined;
};

/** A goal in the wording of WebShop's synthetic goals. */
export function toGoal({ query, productCategory, title }: Product, { attributes, options, priceUpper }: Wish): Goal {
  const chosen = Object.entries(options).map(([name, value]) => `${name}: ${value}`);
  const instruction = [
    `Find me ${attributes.join(", ")} ${query}`,
    chosen.length > 0 ? ` with ${chosen.join(", and ")}` : "",
    priceUpper === undefined ? "" : `, and price lower than ${priceUpper.toFixed(2)} dollars`,
  ].join("");
  return { instruction, query, productCategory, title, attributes, options, priceUpper: priceUpper ?? anyPrice };
}

/** Price bound, in dollars, of goals that do not mention the price. */
const anyPrice = 1e6;

/** Price bounds that a goal for an article of this price can name: the next multiples of ten, in dollars. */
export function priceBoundsAbove(price: number, count: number): readonly number[] {
  const first = Math.floor(price / 10) + 1;
  return Array.from({ length: count }, (_, i) => 10 * (first + i)).filter((bound) => bound < 1000);
}

/** One goal for every choice of options, the last option changing fastest. */
export function optionChoices(options: Product["options"]): readonly Readonly<Record<string, string>>[] {
  return Object.entries(options).reduce<readonly Readonly<Record<string, string>>[]>(
    (choices, [name, values]) => choices.flatMap((choice) => values.map((value) => ({ ...choice, [name]: value }))),
    [{}],
  );
}
