import { columnResizingFeature, columnSizingFeature, rowSortingFeature, tableFeatures } from "@tanstack/react-table";

/** Features of TanStack Table that the grid uses: sizes and order. */
export const gridFeatures = tableFeatures({ columnSizingFeature, columnResizingFeature, rowSortingFeature });
