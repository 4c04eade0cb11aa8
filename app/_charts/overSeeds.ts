import type { Aggregate } from "#server/domain/series/aggregate.ts";
import type { Over } from "#server/domain/series/nameBand.ts";
import type { ChartSettings } from "./settings.ts";

/** So many lines that dots and a legend far away would confuse: names then stand at their ends. */
export const fewestCrowded = 4;

/** The chosen summary over seeds; by default their mean with its 95 % interval, as everywhere. */
export function overOf({ over }: Pick<ChartSettings, "over">): Over {
  return over ?? "interval";
}

type Asked = { aggregate: Aggregate; range: ChartSettings["range"] };

/** What the server is asked for. A part of another axis than the iterations' is cut out here. */
export function askedOf(settings: Pick<ChartSettings, "over" | "range" | "x">): Asked {
  const over = overOf(settings);
  return { aggregate: over === "mean" ? "interval" : over, range: settings.x === "iteration" ? settings.range : null };
}
