import type { ChartSize } from "./settings.ts";

/** Plot height and chart columns by the chosen size. */
export const chartSizeLooks: Record<ChartSize, { height: number; columns: string }> = {
  small: { height: 150, columns: "grid-cols-[repeat(auto-fill,minmax(min(19rem,100%),1fr))]" },
  usual: { height: 220, columns: "grid-cols-[repeat(auto-fill,minmax(min(26rem,100%),1fr))]" },
  large: { height: 400, columns: "grid-cols-[repeat(auto-fill,minmax(min(44rem,100%),1fr))]" },
};
