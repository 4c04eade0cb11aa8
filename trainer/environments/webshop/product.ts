/** One article of the shop. Texts are as its pages print them; option names and values are in lower case. */
export type Product = {
  /** Ten characters, upper case. */
  readonly asin: string;
  /** What it is, as a shopper says it: "women's sandals". */
  readonly query: string;
  /** Levels of the shop's tree, joined by `›`. */
  readonly productCategory: string;
  readonly title: string;
  readonly description: string;
  readonly bullets: readonly string[];
  /** As shown, in dollars: nothing, one price, or the lowest and the highest. */
  readonly pricing: readonly number[];
  /** What a buyer pays, in dollars; not shown where `pricing` is a range. */
  readonly price: number;
  /** Name → values, both in the order of the page. */
  readonly options: Readonly<Record<string, readonly string[]>>;
  readonly attributes: readonly string[];
};

/** What the shopper wants: a product in mind, and what of it counts. */
export type Goal = {
  readonly instruction: string;
  readonly query: string;
  readonly productCategory: string;
  /** Title of the product in mind. */
  readonly title: string;
  readonly attributes: readonly string[];
  /** Name → wanted value. */
  readonly options: Readonly<Record<string, string>>;
  /** Highest price that is right, in dollars. */
  readonly priceUpper: number;
};

/** The price as pages print it: `$9.99`, `$5.99 to $15.99`, `$100.0` where none is known. */
export function toPriceTag(pricing: readonly number[]): string {
  const [lowest, highest] = pricing;
  if (lowest === undefined) return "$100.0";
  return highest === undefined ? `$${toFloatText(lowest)}` : `$${toFloatText(lowest)} to $${toFloatText(highest)}`;
}

/** A number as Python prints a float: `1.0`. */
export function toFloatText(value: number): string {
  return Number.isInteger(value) ? value.toFixed(1) : String(value);
}
