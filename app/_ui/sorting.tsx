"use client";
import type { ReactNode } from "react";
import { type AddressPart, withValue } from "./address.ts";
import { HeadCell } from "./Table.tsx";

/** Sort order of a table; undefined: the default order of its rows. */
export type Sort<Key extends string> = { by: Key; isDescending: boolean } | undefined;

/** URL parameter for the order of a table's rows: `sort=name`, or `sort=-name` for descending order. */
export function sortPart<Key extends string>(keys: readonly Key[]): AddressPart<Sort<Key>> {
  return anySort((text) => keys.find((key) => key === text));
}

/** URL parameter for the sort order of tables whose columns are not known in advance; any column name is valid. */
export const sortByTitle: AddressPart<Sort<string>> = anySort((text) => text || undefined);

function anySort<Key extends string>(toKey: (text: string) => Key | undefined): AddressPart<Sort<Key>> {
  return {
    parse: (query) => {
      const text = query.get("sort") ?? "";
      const by = toKey(text.replace(/^-/, ""));
      return by && { by, isDescending: text.startsWith("-") };
    },
    write: (query, sort) => withValue(query, "sort", sort ? `${sort.isDescending ? "-" : ""}${sort.by}` : ""),
  };
}

/** Sorts items by the value that `valueOf` returns; items without a value come last in either direction. */
export function sortItems<Item>(
  items: readonly Item[],
  isDescending: boolean,
  valueOf: (item: Item) => number | string | undefined,
): Item[] {
  const isMissing = (value: number | string | undefined) => value === undefined || Number.isNaN(value);
  return items.toSorted((left, right) => {
    const [a, b] = [valueOf(left), valueOf(right)];
    if (isMissing(a) || isMissing(b)) return Number(isMissing(a)) - Number(isMissing(b));
    const order = typeof a === "string" ? a.localeCompare(String(b), "en", { numeric: true }) : Number(a) - Number(b);
    return isDescending ? -order : order;
  });
}

type Props<Key extends string> = {
  by: Key;
  sort: Sort<Key>;
  onSort: (sort: Sort<Key>) => void;
  /** True for columns whose first click sorts from the highest value. */
  isDescendingFirst?: boolean;
  className?: string;
  title?: string;
  children: ReactNode;
};

/** Header of a sortable column: the first click sorts, the second reverses, the third restores the default order. */
export function SortHead<Key extends string>({ by, sort, onSort, isDescendingFirst = false, ...props }: Props<Key>) {
  const { children, ...cell } = props;
  const own = sort?.by === by ? sort : undefined;
  const next = (): Sort<Key> => {
    if (!own) return { by, isDescending: isDescendingFirst };
    return own.isDescending === isDescendingFirst ? { by, isDescending: !isDescendingFirst } : undefined;
  };
  return (
    <HeadCell {...cell} aria-sort={own ? (own.isDescending ? "descending" : "ascending") : "none"}>
      <button
        type="button"
        className="rounded font-medium hover:text-text hover:underline"
        onClick={() => onSort(next())}
      >
        {children}
        {own && <span aria-hidden="true">{own.isDescending ? " ↓" : " ↑"}</span>}
      </button>
    </HeadCell>
  );
}
