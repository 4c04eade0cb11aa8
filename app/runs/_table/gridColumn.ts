import type { ReactNode } from "react";

/** A column of the grid: what it is called, how wide it begins, and what it shows of an item. */
export type GridColumn<Item> = {
  key: string;
  title: string;
  /** In a sentence, on hover. */
  hint: string;
  width: number;
  isNumber: boolean;
  cell: (item: Item, index: number) => ReactNode;
};

/** An item of the grid by its place; `item` is undefined while it is being read. */
export type GridRow<Item> = { index: number; item: Item | undefined };
