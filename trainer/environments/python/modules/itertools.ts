import { isEqual } from "../values/compare.ts";
import { makeType, objectType, raise } from "../values/errors.ts";
import { iterate, iterateItems, makeIterator, toItems } from "../values/iterate.ts";
import { allocate, callValue, charge } from "../values/meter.ts";
import { binary } from "../values/operators.ts";
import { truthOf } from "../values/truth.ts";
import { toTuple, type Iterator, type Keywords, type Value } from "../values/value.ts";
import { requireCount } from "../builtins/arguments.ts";
import { any, between, define, named, one } from "../builtins/define.ts";
import { makeModule } from "./makeModule.ts";

/** All choices of so many places, in lexical order of places; `next` finds the one after. */
function iterateChoices(
  title: string,
  pool: readonly Value[],
  places: number[] | undefined,
  next: (places: number[]) => boolean,
): Iterator {
  let isFirst = true;
  return makeIterator(title, () => {
    if (places === undefined) return undefined;
    charge(places.length + 8);
    if (!isFirst && !next(places)) return undefined;
    isFirst = false;
    return toTuple(places.map((place) => pool[place] ?? null));
  });
}

const firstPlaces = (count: number): number[] => Array.from({ length: count }, (_, i) => i);

function requireLength(value: Value | undefined): number {
  const length = requireCount(value);
  if (length < 0) throw raise("ValueError", "r must be non-negative");
  allocate(length);
  return length;
}

function combinations(values: Value, length: number): Iterator {
  const pool = [...toItems(values)];
  const n = pool.length;
  return iterateChoices("itertools.combinations", pool, length > n ? undefined : firstPlaces(length), (places) => {
    const i = places.findLastIndex((place, at) => place !== at + n - length);
    if (i === -1) return false;
    const start = (places[i] ?? 0) + 1;
    for (let j = i; j < length; j++) places[j] = start + j - i;
    return true;
  });
}

function combinationsWithReplacement(values: Value, length: number): Iterator {
  const pool = [...toItems(values)];
  const isEmpty = pool.length === 0 && length > 0;
  const first = isEmpty ? undefined : Array.from({ length }, () => 0);
  return iterateChoices("itertools.combinations_with_replacement", pool, first, (places) => {
    const i = places.findLastIndex((place) => place !== pool.length - 1);
    if (i === -1) return false;
    places.fill((places[i] ?? 0) + 1, i);
    return true;
  });
}

function permutations(values: Value, count: Value): Iterator {
  const pool = [...toItems(values)];
  const n = pool.length;
  const length = count === null ? n : requireLength(count);
  const order = firstPlaces(n);
  const cycles = Array.from({ length: Math.min(length, n) }, (_, i) => n - i);
  const first = length > n ? undefined : order.slice(0, length);
  return iterateChoices("itertools.permutations", pool, first, (places) => {
    for (let i = length - 1; i >= 0; i--) {
      const cycle = (cycles[i] ?? 1) - 1;
      if (cycle === 0) {
        order.push(...order.splice(i, 1));
        cycles[i] = n - i;
        continue;
      }
      cycles[i] = cycle;
      const [a, b] = [order[i] ?? 0, order[n - cycle] ?? 0];
      [order[i], order[n - cycle]] = [b, a];
      for (let j = 0; j < length; j++) places[j] = order[j] ?? 0;
      return true;
    }
    return false;
  });
}

function product(args: readonly (Value | undefined)[], keywords: Keywords): Iterator {
  const times = requireCount(keywords.get("repeat") ?? 1);
  allocate(times * Math.max(1, args.length));
  const once = args.map((values) => [...toItems(values ?? null)]);
  const pools = Array.from({ length: times }, () => once).flat();
  const isEmpty = pools.some((pool) => pool.length === 0);
  let places: number[] | undefined = isEmpty ? undefined : pools.map(() => 0);
  let isFirst = true;
  return makeIterator("itertools.product", () => {
    if (places === undefined) return undefined;
    charge(pools.length + 8);
    if (!isFirst) {
      const i = places.findLastIndex((place, at) => place !== (pools[at]?.length ?? 0) - 1);
      if (i === -1) return (places = undefined);
      places = places.map((place, at) => (at < i ? place : at === i ? place + 1 : 0));
    }
    isFirst = false;
    return toTuple(places.map((place, at) => pools[at]?.[place] ?? null));
  });
}

function accumulate([values = null, combine = null, initial]: readonly (Value | undefined)[]): Iterator {
  const iterator = iterate(values);
  let total: Value | undefined;
  let isStarted = false;
  return makeIterator("itertools.accumulate", () => {
    if (!isStarted && initial !== undefined && initial !== null) {
      isStarted = true;
      total = initial;
      return initial;
    }
    const item = iterator.next();
    if (item === undefined) return undefined;
    if (total === undefined) total = item;
    else total = combine === null ? binary("+", total, item) : callValue(combine, [total, item]);
    isStarted = true;
    return total;
  });
}

/** The items of several iterables one after the other, each asked for only when it is its turn. */
function chain(iterables: () => Value | undefined): Iterator {
  let current: Iterator | undefined;
  return makeIterator("itertools.chain", () => {
    for (;;) {
      if (current === undefined) {
        const values = iterables();
        if (values === undefined) return undefined;
        current = iterate(values);
      }
      const item = current.next();
      if (item !== undefined) return item;
      current = undefined;
    }
  });
}

function cycle(values: Value): Iterator {
  const iterator = iterate(values);
  const seen: Value[] = [];
  let at = -1;
  return makeIterator("itertools.cycle", () => {
    if (at === -1) {
      const item = iterator.next();
      if (item !== undefined) {
        seen.push(item);
        charge(1);
        return item;
      }
    }
    if (seen.length === 0) return undefined;
    at = (at + 1) % seen.length;
    return seen[at];
  });
}

function slice(values: Value, bounds: readonly (Value | undefined)[]): Iterator {
  const [first, second, third] = bounds;
  const [from, to, by] = bounds.length === 1 ? [null, first, null] : [first, second, third];
  const bound = (value: Value | undefined, absent: number): number => {
    if (value === undefined || value === null) return absent;
    const number = typeof value === "number" ? value : -1;
    if (number >= 0) return number;
    throw raise("ValueError", "Indices for islice() must be None or an integer: 0 <= x <= sys.maxsize.");
  };
  const [start, stop, step] = [bound(from, 0), bound(to, Infinity), bound(by, 1)];
  if (step === 0) throw raise("ValueError", "Step for islice() must be a positive integer or None.");
  const iterator = iterate(values);
  let [at, next] = [0, start];
  return makeIterator("itertools.islice", () => {
    if (next >= stop) return undefined;
    for (; at < next; at++) {
      charge(4);
      if (iterator.next() === undefined) return undefined;
    }
    at++;
    next += step;
    return iterator.next();
  });
}

function groupBy(values: Value, key: Value): Iterator {
  const iterator = iterate(values);
  const keyOf = (item: Value): Value => (key === null ? item : callValue(key, [item]));
  let pending = iterator.next();
  return makeIterator("itertools.groupby", () => {
    if (pending === undefined) return undefined;
    const groupKey = keyOf(pending);
    const items: Value[] = [];
    while (pending !== undefined && isEqual(keyOf(pending), groupKey)) {
      charge(4);
      items.push(pending);
      pending = iterator.next();
    }
    return toTuple([groupKey, iterateItems("itertools._grouper", items)]);
  });
}

function zipLongest(args: readonly (Value | undefined)[], keywords: Keywords): Iterator {
  const fill = keywords.get("fillvalue") ?? null;
  const iterators = args.map((values) => iterate(values ?? null));
  return makeIterator("itertools.zip_longest", () => {
    const items = iterators.map((iterator) => iterator.next());
    return items.every((item) => item === undefined)
      ? undefined
      : toTuple(items.map((item) => (item === undefined ? fill : item)));
  });
}

function count(start: Value, step: Value): Iterator {
  let next = start;
  return makeIterator("itertools.count", () => {
    const value = next;
    next = binary("+", next, step);
    return value;
  });
}

/** The items for which a test holds (`takewhile`), or all from the first for which it does not (`dropwhile`). */
function whileTrue(title: "takewhile" | "dropwhile", test: Value, values: Value): Iterator {
  const iterator = iterate(values);
  let isDropping = title === "dropwhile";
  return makeIterator(`itertools.${title}`, () => {
    for (let item = iterator.next(); item !== undefined; item = iterator.next()) {
      charge(4);
      if (title === "takewhile") return truthOf(callValue(test, [item])) ? item : undefined;
      isDropping &&= truthOf(callValue(test, [item]));
      if (!isDropping) return item;
    }
    return undefined;
  });
}

function filterItems(title: string, values: Value, keeps: (item: Value) => boolean): Iterator {
  const iterator = iterate(values);
  return makeIterator(title, () => {
    for (let item = iterator.next(); item !== undefined; item = iterator.next()) {
      charge(4);
      if (keeps(item)) return item;
    }
    return undefined;
  });
}

function pairwise(values: Value): Iterator {
  const iterator = iterate(values);
  let previous = iterator.next();
  return makeIterator("itertools.pairwise", () => {
    const item = iterator.next();
    if (item === undefined || previous === undefined) return undefined;
    const pair = toTuple([previous, item]);
    previous = item;
    return pair;
  });
}

function repeat(value: Value, times: Value | undefined): Iterator {
  let left = times === undefined ? Infinity : requireCount(times);
  return makeIterator("itertools.repeat", () => (left-- > 0 ? value : undefined));
}

const chainType = makeType("itertools.chain", objectType, (args) => chain(iterateOnce(args)));
chainType.members.set("from_iterable", {
  kind: "staticmethod",
  getter: define("from_iterable", one, ([values = null]) => {
    const outer = iterate(values);
    return chain(() => outer.next());
  }),
});

const functions: Parameters<typeof makeModule>[1] = {
  combinations: [named(2, "iterable r"), ([values = null, length]) => combinations(values, requireLength(length))],
  combinations_with_replacement: [
    named(2, "iterable r"),
    ([values = null, length]) => combinationsWithReplacement(values, requireLength(length)),
  ],
  permutations: [named(1, "iterable r"), ([values = null, length = null]) => permutations(values, length)],
  product: [any, product],
  accumulate: [named(1, "iterable func initial", 2), accumulate],
  cycle: [one, ([values = null]) => cycle(values)],
  count: [named(0, "start step"), ([start = 0, step = 1]) => count(start, step)],
  repeat: [named(1, "object times"), ([value = null, times]) => repeat(value, times)],
  islice: [between(2, 4), ([values = null, ...bounds]) => slice(values, bounds)],
  groupby: [named(1, "iterable key"), ([values = null, key = null]) => groupBy(values, key)],
  zip_longest: [any, zipLongest],
  takewhile: [between(2, 2), ([test = null, values = null]) => whileTrue("takewhile", test, values)],
  dropwhile: [between(2, 2), ([test = null, values = null]) => whileTrue("dropwhile", test, values)],
  filterfalse: [
    between(2, 2),
    ([test = null, values = null]) =>
      filterItems("itertools.filterfalse", values, (item) => !truthOf(test === null ? item : callValue(test, [item]))),
  ],
  compress: [
    named(2, "data selectors"),
    ([values = null, selectors = null]) => {
      const flags = iterate(selectors);
      return filterItems("itertools.compress", values, () => truthOf(flags.next() ?? false));
    },
  ],
  starmap: [
    between(2, 2),
    ([callee = null, values = null]) => {
      const iterator = iterate(values);
      return makeIterator("itertools.starmap", () => {
        const args = iterator.next();
        return args === undefined ? undefined : callValue(callee, toItems(args));
      });
    },
  ],
  pairwise: [one, ([values = null]) => pairwise(values)],
  tee: [
    between(1, 2),
    ([values = null, copies = 2]) => {
      const items = [...toItems(values)];
      return toTuple(Array.from({ length: requireCount(copies) }, () => iterateItems("itertools._tee", items)));
    },
  ],
};

export const itertoolsModule = makeModule("itertools", functions, { chain: chainType });

function iterateOnce(args: readonly (Value | undefined)[]): () => Value | undefined {
  let i = 0;
  return () => args[i++];
}
