import { AppError } from "#packages/base";
import { subjectOf, type Entity, type Facts, type Vocabulary } from "./filter.ts";
import { cutFilter, readField } from "./filterTokens.ts";

export type Order = { entity: Exclude<Entity, "dataset">; key: string; isAscending: boolean };

/**
 * Parses one `order_by` of a search: a name, optionally followed by ASC or DESC. Throws `bad_input` for anything else.
 */
export function parseOrder(text: string, vocabulary: Vocabulary): Order {
  return readField("order_by", () => readOrder(text, vocabulary));
}

function readOrder(text: string, vocabulary: Vocabulary): Order {
  const [name, direction, ...rest] = cutFilter(text);
  const way = direction === undefined ? "ASC" : direction.text.toUpperCase();
  if (name?.kind !== "name" || rest.length > 0 || !["ASC", "DESC"].includes(way)) {
    throw new AppError("bad_input", `"${text.slice(0, 100)}": a name, then ASC or DESC, is understood here`);
  }
  const { entity, key } = subjectOf(name.parts, vocabulary);
  if (entity === "dataset") throw new AppError("bad_input", `"${text.slice(0, 100)}": datasets have no order`);
  return { entity, key, isAscending: way === "ASC" };
}

/**
 * Sorts by the first order, ties by the second, and so on. NaN and then missing values come last in both directions.
 */
export function sortBy<Item>(
  items: readonly Item[],
  orders: readonly Order[],
  factsOf: (item: Item) => Facts,
): readonly Item[] {
  const keyed = items.map((item) => {
    const facts = factsOf(item);
    return { item, values: orders.map((order) => valueOf(facts, order)) };
  });
  keyed.sort((a, b) => {
    for (const [i, { isAscending }] of orders.entries()) {
      const [x, y] = [a.values[i], b.values[i]];
      const byRank = rank(x) - rank(y);
      if (byRank !== 0) return byRank;
      if (x === undefined || y === undefined || x === y || rank(x) > 0) continue;
      return x < y === isAscending ? -1 : 1;
    }
    return 0;
  });
  return keyed.map(({ item }) => item);
}

function valueOf(facts: Facts, { entity, key }: Order): string | number | undefined {
  return entity === "attribute" ? facts.attribute[key] : facts[entity].get(key);
}

function rank(value: string | number | undefined): number {
  if (value === undefined) return 2;
  return typeof value === "number" && Number.isNaN(value) ? 1 : 0;
}
