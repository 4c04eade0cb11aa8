import { columnResizingFeature, columnSizingFeature, rowSortingFeature, tableFeatures } from "@tanstack/react-table";

/** What the grid uses of TanStack Table: widths and orders. */
export const gridFeatures = tableFeatures({ columnSizingFeature, columnResizingFeature, rowSortingFeature });
