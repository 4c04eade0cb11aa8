/** A product of the shop, with the texts that the shop's pages print. Option names and values are in lower case. */
export type Product = {
  readonly asin: string;
  /** Kind of the product in a shopper's words, such as "women's sandals". */
  readonly query: string;
  /** Levels of the shop's category tree, joined by `›`. */
  readonly productCategory: string;
  readonly title: string;
  readonly description: string;
  readonly bullets: readonly string[];
  /** Displayed prices in dollars: none, one price, or the lowest and the highest price. */
  readonly pricing: readonly number[];
  /** Price in dollars that is paid; not displayed if `pricing` is a range. */
  readonly price: number;
  /** Values that can be chosen, by option name. Names and values are in the order of the page. */
  readonly options: Readonly<Record<string, readonly string[]>>;
  readonly attributes: readonly string[];
};

export type Goal = {
  readonly instruction: string;
  readonly query: string;
  readonly productCategory: string;
  readonly title: string;
  readonly attributes: readonly string[];
  readonly options: Readonly<Record<string, string>>;
  /** Maximum accepted price, in dollars. */
  readonly priceUpper: number;
};

/** Formats the price as pages print it: `$9.99`, `$5.99 to $15.99`, or `$100.0` if no price is known. */
export function toPriceTag(pricing: readonly number[]): string {
  const [lowest, highest] = pricing;
  if (lowest === undefined) return "$100.0";
  return highest === undefined ? `$${toFloatText(lowest)}` : `$${toFloatText(lowest)} to $${toFloatText(highest)}`;
}

/** Formats a number as Python prints a float: `1.0`. */
export function toFloatText(value: number): string {
  return Number.isInteger(value) ? value.toFixed(1) : String(value);
}

/** Names of colours in alphabetical order (WebShop's list), to which colour options are reduced. */
const colors: readonly string[] =
  `alabaster apricot aqua ash asphalt azure banana beige black blue blush bordeaux bronze
brown burgundy camel camo caramel champagne charcoal cheetah chestnut chocolate christmas coffee cognac copper coral
cranberry cream crystal dark denim eggplant elephant espresso fuchsia gold granite grape graphite grass gray green grey
heather indigo ivory ivy khaki lavender lemon leopard light lilac lime magenta maroon mauve merlot midnight mint mocha
multicolor mushroom mustard natural navy nude olive orange peach pewter pink plum purple rainbow red rose royal rust sand
sapphire seashell silver skull slate steel stone stonewash sunflower tan taupe teal tiger turquoise violet walnut wheat
white wine yellow`.split(/\s+/);

const exact = new Set(colors);

/** Returns the alphabetically first colour in the text ("blue" for "navy blue"), or the text itself. */
export function normalizeColor(text: string): string {
  return colors.find((color) => text.includes(color)) ?? text;
}

export function isColor(text: string): boolean {
  return exact.has(text);
}
