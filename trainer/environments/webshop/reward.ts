import { type Goal, isColor, normalizeColor, type Product } from "./product.ts";
import { tokenSetRatio } from "./tokenSetRatio.ts";

/** Score of a purchase and its parts. Attributes and options are fractions met; weights are fractions of the total. */
export type Score = {
  /** Score in [0, 1]: type · (right attributes, options and price) / (number of attributes and options + 1). */
  total: number;
  type: number;
  attributes: number;
  /** Fraction of the goal's options that were chosen right; undefined if the goal has no options. */
  options: number | undefined;
  isPriceRight: boolean;
  isSameQuery: boolean;
  isSameCategory: boolean;
  titleOverlap: number;
  weights: { attributes: number; options: number; price: number };
};

/** Computes WebShop's own score for buying `product` with the chosen `options` (name → value). */
export function scorePurchase(goal: Goal, product: Product, options: Readonly<Record<string, string>>): Score {
  const wanted = Object.entries(goal.options);
  const numParts = goal.attributes.length + wanted.length + 1;
  const numAttributes = goal.attributes.filter((attribute) => hasAttribute(product, attribute)).length;
  const chosen = Object.values(options).map(normalizeColor);
  const numOptions = wanted.filter((option) => isChosen(option, chosen)).length;
  const isPriceRight = product.price <= goal.priceUpper;
  const { type, ...likeness } = compareTypes(goal, product);
  return {
    total: type * ((numAttributes + numOptions + Number(isPriceRight)) / numParts),
    type,
    attributes: numAttributes / goal.attributes.length,
    options: wanted.length === 0 ? undefined : numOptions / wanted.length,
    isPriceRight,
    ...likeness,
    weights: { attributes: goal.attributes.length / numParts, options: wanted.length / numParts, price: 1 / numParts },
  };
}

/** Similarity, on a scale of 0 to 100, above which two texts count as equal. */
const sameRatio = 85;

/** True if the product's attributes, or else its texts, contain the attribute that the goal demands. */
export function hasAttribute({ attributes, title, bullets, description }: Product, wanted: string): boolean {
  return (
    attributes.some((attribute) => attribute === wanted || tokenSetRatio(attribute, wanted) > sameRatio) ||
    [title, bullets.join(" "), description].some((text) => text.toLowerCase().includes(wanted))
  );
}

/** True if the wanted value is among the `chosen` ones. As in WebShop, the match is loose: "small" fits "x-small". */
export function isChosen([name, value]: readonly [string, string], chosen: readonly string[]): boolean {
  const wanted = isColor(value) ? value : isColor(name) ? name : `${name} ${value}`;
  return chosen.some((option) => option === wanted || tokenSetRatio(option, wanted) > sameRatio);
}

function compareTypes(goal: Goal, product: Product) {
  const isSameQuery = product.query === goal.query;
  const levels = toLevels(goal.productCategory);
  const isSameCategory = [...toLevels(product.productCategory)].filter((level) => levels.has(level)).length >= 2;
  const titleOverlap = overlapOf(product.title, goal.title);
  const isMatch = isSameQuery || isSameCategory || titleOverlap > 0.2;
  return { type: typeFactor(titleOverlap, isMatch), isSameQuery, isSameCategory, titleOverlap };
}

function typeFactor(titleOverlap: number, isMatch: boolean): number {
  if (titleOverlap === 0) return 0;
  if (titleOverlap < 0.1) return 0.1;
  return isMatch ? 1 : 0.5;
}

function toLevels(category: string): ReadonlySet<string> {
  return new Set(category.split("›").map((level) => level.trim()));
}

/**
 * Returns the number of distinct nouns in both titles, divided by the number of nouns in the wanted title; 0.2 if
 * that has none. All words that begin with a letter, except a few small ones, count as nouns.
 */
function overlapOf(title: string, wanted: string): number {
  const nouns = toNouns(wanted);
  if (nouns.length === 0) return 0.2;
  const inTitle = new Set(toNouns(title));
  return new Set(nouns.filter((noun) => inTitle.has(noun))).size / nouns.length;
}

const smallWords = new Set(["for", "with", "and", "the", "a", "of", "in", "to", "by", "on"]);

function toNouns(title: string): readonly string[] {
  return (title.toLowerCase().match(/[a-z0-9']+/g) ?? []).filter(
    (word) => /^[a-z]/.test(word) && !smallWords.has(word),
  );
}
