import type { Aggregate } from "#server/domain/runs/series/chartData.ts";
import type { Over } from "#server/domain/runs/series/seedSummary.ts";
import type { ChartSettings } from "./settings.ts";

/** Minimum number of lines at which names are written at the lines' ends and points have no dots. */
export const minCrowded = 4;

/** The chosen summary over seeds; by default the mean with its 95 % interval. */
export function overOf({ over }: Pick<ChartSettings, "over">): Over {
  return over ?? "interval";
}

type Asked = { aggregate: Aggregate; range: ChartSettings["range"] };

/** Settings in the request to the server. A range on an axis other than iterations is cut in the browser. */
export function askedOf(settings: Pick<ChartSettings, "over" | "range" | "x">): Asked {
  const over = overOf(settings);
  return { aggregate: over === "mean" ? "interval" : over, range: settings.x === "iteration" ? settings.range : null };
}
