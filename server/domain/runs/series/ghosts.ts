import type { ChartLine } from "./chartData.ts";
import { makeLine, within, type ChartOptions } from "./makeCharts.ts";
import type { Series } from "#packages/statistics";

/** Points of an attempt that a newer attempt of the same run superseded. */
export type GhostSeries = Series & { attempt: number };

/** Line of superseded points: drawn faintly on request, and excluded from every mean. */
export type GhostLine = ChartLine & { key: string; attempt: number };

export function makeGhosts(
  series: readonly GhostSeries[],
  options: Pick<ChartOptions, "maxPoints" | "range">,
): GhostLine[] {
  return series.flatMap(({ attempt, ...one }) => {
    const line = makeLine({ ...one, ...within(one, options) }, options);
    return line.iterations.length === 0 ? [] : [{ ...line, key: one.key, attempt }];
  });
}
