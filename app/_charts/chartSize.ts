import type { ChartSize } from "./settings.ts";

/** Heights of plots, and the columns of charts, by the size that was chosen. */
export const chartSizeLooks: Record<ChartSize, { height: number; columns: string }> = {
  small: { height: 150, columns: "grid-cols-[repeat(auto-fill,minmax(min(19rem,100%),1fr))]" },
  usual: { height: 220, columns: "grid-cols-[repeat(auto-fill,minmax(min(26rem,100%),1fr))]" },
  large: { height: 400, columns: "grid-cols-[repeat(auto-fill,minmax(min(44rem,100%),1fr))]" },
};
