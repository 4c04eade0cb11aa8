import { columnResizingFeature, columnSizingFeature, rowSortingFeature, tableFeatures } from "@tanstack/react-table";
import type { ReactNode } from "react";
import type { Field } from "#server/domain/runs/table/field.ts";

export type GridColumn<Item> = {
  key: string;
  title: string;
  /** Tooltip of the column's header. */
  hint: string;
  width: number;
  isNumber: boolean;
  cell: (item: Item, index: number) => ReactNode;
};

/** Returns the parts of a column that its field determines. */
export function columnOf({ key, title, meaning, type }: Field) {
  // The usual value of a metric is the final one, which the tooltip says.
  return {
    key,
    title: title.replace(/, final$/, ""),
    hint: meaning,
    isNumber: type === "number" || type === "duration",
  };
}

/** A row of the table by its index; `item` is undefined while it loads. */
export type GridRow<Item> = { index: number; item: Item | undefined };

export const gridFeatures = tableFeatures({ columnSizingFeature, columnResizingFeature, rowSortingFeature });

/** Returns the items with the one at index `from` moved to index `to`. */
export function moveItem<Item>(items: readonly Item[], from: number, to: number): Item[] {
  return items.toSpliced(from, 1).toSpliced(to, 0, ...items.slice(from, from + 1));
}
