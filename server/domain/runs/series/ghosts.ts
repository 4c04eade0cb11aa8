import type { ChartLine } from "./chartData.ts";
import { makeLine, within, type ChartOptions } from "./makeCharts.ts";
import type { Series } from "#packages/statistics";

/** Points that a newer attempt of their run replaced. */
export type GhostSeries = Series & { attempt: number };

/** An abandoned branch: drawn faintly on request, excluded from every mean. */
export type GhostLine = ChartLine & { key: string; attempt: number };

/** Superseded points as lines, reduced like all others; a branch outside the range is left out. */
export function makeGhosts(
  series: readonly GhostSeries[],
  options: Pick<ChartOptions, "maxPoints" | "range">,
): GhostLine[] {
  return series.flatMap(({ attempt, ...one }) => {
    const line = makeLine({ ...one, ...within(one, options) }, options);
    return line.iterations.length === 0 ? [] : [{ ...line, key: one.key, attempt }];
  });
}
