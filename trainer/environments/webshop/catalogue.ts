import { split, type Rng } from "#trainer/spec/rng.ts";
import type { WebShopSpec } from "#trainer/spec/environments/webshop.ts";
import { brands, departments, type Department, type Line } from "./goods.ts";
import type { Product } from "./product.ts";

type CatalogueKnobs = Pick<
  WebShopSpec,
  "catalogueSize" | "siblings" | "optionGroups" | "valuesPerGroup" | "attributesInGoal" | "hiddenAttributes"
>;

/** A product of the synthetic shop, with the department, brand and attributes from which its texts are made. */
export type Article = Product & {
  readonly department: string;
  readonly brand: string;
  readonly titleAttributes: readonly string[];
};

/**
 * Makes the shop's products in random order, the same for every task. Every family has one product and its siblings,
 * which differ from it in an attribute, an option value or the price.
 */
export function makeCatalogue(knobs: CatalogueKnobs): readonly Article[] {
  const { catalogueSize } = knobs;
  const rng = split("webshop catalogue", JSON.stringify(toKey(knobs)));
  const kinds = chooseKinds(catalogueSize);
  const drafts: Draft[] = [];
  for (let family = 0; drafts.length < catalogueSize; family++) {
    const kind = kinds[family % kinds.length];
    if (kind) drafts.push(...makeFamily(kind, knobs, rng));
  }
  const asins = makeAsins(catalogueSize, rng);
  return shuffle(drafts.slice(0, catalogueSize), rng).map((draft, i) =>
    toArticle(draft, asins[i] ?? "", { hiddenAttributes: knobs.hiddenAttributes, rng }),
  );
}

/** Lists the catalogue's settings in a fixed order, so that equal settings give equal catalogues. */
function toKey(knobs: CatalogueKnobs): readonly (number | boolean)[] {
  const { catalogueSize, siblings, optionGroups, valuesPerGroup, attributesInGoal, hiddenAttributes } = knobs;
  return [catalogueSize, siblings, optionGroups, valuesPerGroup, attributesInGoal, hiddenAttributes];
}

type Kind = { department: Department; line: Line };

/** Chooses 1 to 8 kinds of products in every department, so that a kind has about six products. */
function chooseKinds(catalogueSize: number): readonly Kind[] {
  const perDepartment = Math.min(8, Math.max(1, Math.round(catalogueSize / (6 * departments.length))));
  return Array.from({ length: perDepartment }).flatMap((_, i) =>
    departments.flatMap((department) => {
      const line = department.lines[i];
      return line ? [{ department, line }] : [];
    }),
  );
}

type Draft = Kind & {
  attributes: readonly string[];
  options: Readonly<Record<string, readonly string[]>>;
  /** Price of the product in whole dollars. */
  price: number;
};

function makeFamily(kind: Kind, knobs: CatalogueKnobs, rng: Rng): readonly Draft[] {
  const { line } = kind;
  const { optionGroups, valuesPerGroup, attributesInGoal, siblings } = knobs;
  const numAttributes = Math.max(2, attributesInGoal) + rng.int(2);
  const groups = line.options.slice(0, optionGroups);
  const [lowest, highest] = line.prices;
  const first: Draft = {
    ...kind,
    attributes: shuffle(line.attributes, rng).slice(0, numAttributes),
    options: Object.fromEntries(groups.map(([name, values]) => [name, drawValues(values, valuesPerGroup, rng)])),
    price: Math.floor(lowest * (highest / lowest) ** rng.next()),
  };
  return [first, ...Array.from({ length: siblings }, () => makeSibling(first, rng))];
}

/** Samples `count` values and keeps the order of `pool`, as sizes are ordered on a product's page. */
function drawValues(pool: readonly string[], count: number, rng: Rng): readonly string[] {
  const drawn = new Set(shuffle(pool, rng).slice(0, count));
  return pool.filter((value) => drawn.has(value));
}

/** Returns a copy of a product with one random difference: an attribute, an option value, or the price. */
function makeSibling(first: Draft, rng: Rng): Draft {
  const groups = Object.keys(first.options);
  const change = rng.int(groups.length > 0 ? 3 : 2);
  const spare = first.line.attributes.filter((attribute) => !first.attributes.includes(attribute));
  const [leaves, enters] = [rng.int(first.attributes.length), spare[rng.int(spare.length)]];
  if (change === 0 && enters !== undefined) {
    return { ...first, attributes: first.attributes.map((attribute, i) => (i === leaves ? enters : attribute)) };
  }
  if (change < 2) return { ...first, price: first.price + 10 * (1 + rng.int(4)) };
  const name = groups[rng.int(groups.length)] ?? "";
  return { ...first, options: { ...first.options, [name]: replaceOne(first, name, rng) } };
}

function replaceOne({ line, options }: Draft, name: string, rng: Rng): readonly string[] {
  const pool = line.options.find(([present]) => present === name)?.[1] ?? [];
  const present = options[name] ?? [];
  const spare = pool.filter((value) => !present.includes(value));
  const [leaves, enters] = [present[rng.int(present.length)], spare[rng.int(spare.length)]];
  if (enters === undefined) return present;
  return pool.filter((value) => value === enters || (present.includes(value) && value !== leaves));
}

function toArticle(
  draft: Draft,
  asin: string,
  { hiddenAttributes, rng }: { hiddenAttributes: boolean; rng: Rng },
): Article {
  const { department, line, attributes, options } = draft;
  const brand = brands[rng.int(brands.length)] ?? "";
  const hidden = hiddenAttributes ? rng.int(attributes.length) : -1;
  const titleAttributes = attributes.filter((_, i) => i !== hidden);
  const pricing = drawPricing(draft, rng);
  const [lowest = 0, highest = lowest] = pricing;
  return {
    asin,
    query: line.query,
    productCategory: `${department.root} › ${line.shelf}`,
    title: [brand, line.query, ...titleAttributes].map(capitalise).join(" "),
    description: `${capitalise(line.query)} by ${brand}: ${attributes.join(", ")}`,
    bullets: attributes.map((attribute) => `Feature: ${attribute}`),
    pricing,
    price: lowest + (highest - lowest) * rng.next(),
    options,
    attributes,
    department: department.name,
    brand,
    titleAttributes,
  };
}

/** Samples the displayed price. A third of the products with options show a range, up to one cent below a ten. */
function drawPricing({ price, options }: Draft, rng: Rng): readonly number[] {
  const isRange = rng.int(3) === 0 && Object.keys(options).length > 0 && price % 10 !== 9;
  return isRange ? [price + 0.99, Math.floor(price / 10) * 10 + 9.99] : [price + 0.99];
}

function capitalise(text: string): string {
  return text.replace(/(?<=^|[ -])[a-z]/g, (letter) => letter.toUpperCase());
}

/** Makes `count` ids like Amazon's ASINs: `B0` and two pieces from small sets, for a small vocabulary. */
function makeAsins(count: number, rng: Rng): readonly string[] {
  const side = Math.ceil(Math.sqrt(count));
  const [heads, tails] = [drawPieces(side, rng), drawPieces(side, rng)];
  const grid = heads.flatMap((head) => tails.map((tail) => `B0${head}${tail}`));
  return shuffle(grid, rng).slice(0, count);
}

/** Samples pieces of ids with four characters. Pieces begin with a letter and a digit, unlike all other words. */
function drawPieces(count: number, rng: Rng): readonly string[] {
  const draw = (characters: string): string => characters[rng.int(characters.length)] ?? "";
  const pieces = new Set<string>();
  while (pieces.size < count) pieces.add([letters, digits, base36, base36].map(draw).join(""));
  return [...pieces];
}

const letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZ";
const digits = "0123456789";
const base36 = digits + letters;

function shuffle<Item>(items: readonly Item[], rng: Rng): Item[] {
  const shuffled = items.map((item) => ({ item, order: rng.next() }));
  return shuffled.sort((x, y) => x.order - y.order).map(({ item }) => item);
}
