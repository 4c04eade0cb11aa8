import { columnResizingFeature, columnSizingFeature, rowSortingFeature, tableFeatures } from "@tanstack/react-table";
import type { ReactNode } from "react";

/** A column of the table: its title, initial width, and function that renders its content. */
export type GridColumn<Item> = {
  key: string;
  title: string;
  /** Tooltip of the column's header. */
  hint: string;
  width: number;
  isNumber: boolean;
  cell: (item: Item, index: number) => ReactNode;
};

/** A row of the table by its index; `item` is undefined while it loads. */
export type GridRow<Item> = { index: number; item: Item | undefined };

/** Features of the library TanStack Table that the table uses: column widths and sort order. */
export const gridFeatures = tableFeatures({ columnSizingFeature, columnResizingFeature, rowSortingFeature });

/** Returns the items with the one at index `from` moved to index `to`. */
export function moveItem<Item>(items: readonly Item[], from: number, to: number): Item[] {
  return items.toSpliced(from, 1).toSpliced(to, 0, ...items.slice(from, from + 1));
}
