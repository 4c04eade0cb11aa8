import { isOrdered } from "../values/compare.ts";
import { callValue, charge } from "../values/meter.ts";
import type { Value } from "../values/value.ts";

/** Sorted as `list.sort` sorts: stable, by `<` alone, `reverse` keeping equals in their order. */
export function sortItems(items: readonly Value[], key: Value | undefined, isReversed: boolean): Value[] {
  const keyed = items.map((item) => ({ item, key: key === undefined || key === null ? item : callValue(key, [item]) }));
  charge(items.length * Math.log2(items.length + 1));
  if (isReversed) keyed.reverse();
  const sorted = isPlain(keyed.map((entry) => entry.key)) ? sortPlain(keyed) : mergeSort(keyed);
  if (isReversed) sorted.reverse();
  return sorted.map(({ item }) => item);
}

type Keyed = { item: Value; key: Value };

/** All small whole numbers, or all plain texts: what the host sorts as Python does. */
function isPlain(keys: readonly Value[]): boolean {
  return (
    keys.every((key) => typeof key === "number") ||
    keys.every((key) => typeof key === "string" && !/[\ud800-\udfff]/.test(key))
  );
}

function sortPlain(keyed: readonly Keyed[]): Keyed[] {
  return keyed.toSorted(({ key: a }, { key: b }) => {
    if (typeof a === "number" && typeof b === "number") return a - b;
    return typeof a === "string" && typeof b === "string" && a !== b ? (a < b ? -1 : 1) : 0;
  });
}

const isLess = (a: Keyed, b: Keyed): boolean => {
  charge(1);
  return isOrdered(a.key, "<", b.key);
};
const runLength = 32;

/**
 * Runs sorted by binary insertion, then merged. The first comparisons are those of CPython, a later item with an
 * earlier one, so that values without an order are complained of alike.
 */
function mergeSort(keyed: readonly Keyed[]): Keyed[] {
  if (keyed.length <= runLength * 2) return insertionSort(keyed);
  const middle = Math.floor(keyed.length / 2);
  return merge(mergeSort(keyed.slice(0, middle)), mergeSort(keyed.slice(middle)));
}

function insertionSort(keyed: readonly Keyed[]): Keyed[] {
  const { sorted, rest } = takeRun(keyed);
  for (const entry of rest) {
    let [low, high] = [0, sorted.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      const other = sorted[middle];
      if (other !== undefined && isLess(entry, other)) high = middle;
      else low = middle + 1;
    }
    sorted.splice(low, 0, entry);
  }
  return sorted;
}

/** What is in order already at the start, or in the opposite order and turned round. */
function takeRun(keyed: readonly Keyed[]): { sorted: Keyed[]; rest: readonly Keyed[] } {
  const [first, second] = keyed;
  if (first === undefined || second === undefined) return { sorted: [...keyed], rest: [] };
  const isDescending = isLess(second, first);
  let length = 2;
  for (let previous = second; length < keyed.length; length++) {
    const next = keyed[length];
    if (next === undefined || isLess(next, previous) !== isDescending) break;
    previous = next;
  }
  const run = keyed.slice(0, length);
  return { sorted: isDescending ? run.reverse() : run, rest: keyed.slice(length) };
}

function merge(left: readonly Keyed[], right: readonly Keyed[]): Keyed[] {
  const merged: Keyed[] = [];
  let [i, j] = [0, 0];
  for (;;) {
    const [a, b] = [left[i], right[j]];
    if (a === undefined || b === undefined) return [...merged, ...left.slice(i), ...right.slice(j)];
    const takesRight = isLess(b, a);
    merged.push(takesRight ? b : a);
    if (takesRight) j++;
    else i++;
  }
}
