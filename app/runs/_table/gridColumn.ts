import type { ReactNode } from "react";

/** A column of the grid: its title, initial width, and cell content. */
export type GridColumn<Item> = {
  key: string;
  title: string;
  /** Tooltip. */
  hint: string;
  width: number;
  isNumber: boolean;
  cell: (item: Item, index: number) => ReactNode;
};

/** A row of the grid by its index; `item` is undefined while it loads. */
export type GridRow<Item> = { index: number; item: Item | undefined };
