import type { FigureAxis } from "./axes.ts";
import { formatTick } from "./format.ts";
import type { ChartModel } from "./prepareChart.ts";

/** The axes of a chart; with names if the page does not show them. */
export function toAxes({ x, y, unit, title }: ChartModel, isNamed: boolean): { x: FigureAxis; y: FigureAxis } {
  const texts = new Map(y.ticks.map(({ value, text }) => [value, text]));
  const yLabel = unit === "" || unit === "fraction" ? title : `${title} (${unit})`;
  return {
    x: { domain: x.domain, ticks: x.ticks, ...(isNamed && { label: x.name }) },
    y: {
      domain: y.domain,
      scale: y.scale,
      ticks: y.ticks.map(({ value }) => value),
      format: (tick) => texts.get(tick) ?? formatTick(tick),
      ...(isNamed && { label: yLabel }),
    },
  };
}
