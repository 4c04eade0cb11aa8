import type { Metric } from "#trainer/spec/metric.ts";
import { differenceOf, writeDifference } from "#packages/statistics";
import type { Ranking } from "./rank.ts";

/**
 * "+4.1 [1, 7]" by configuration: what each came to, less what the baseline did, with Welch's 95 % interval where both have
 * three seeds that vary. Another environment's are compared with the baseline's configuration there, by its name.
 */
export function describeDifferences(
  rankings: readonly Ranking[],
  baselineId: number,
  metric: Pick<Metric, "unit">,
): Map<number, string> {
  const name = rankings.flatMap(({ ranked }) => ranked).find(({ cellId }) => cellId === baselineId)?.name;
  return new Map(
    rankings.flatMap(({ ranked }) => {
      const baseline = ranked.find(({ cellId }) => cellId === baselineId) ?? ranked.find((one) => one.name === name);
      if (!baseline) return [];
      return ranked.map((one): [number, string] => {
        const difference = differenceOf(one.values, baseline.values, metric);
        return [one.cellId, one === baseline || !difference ? "baseline" : writeDifference(difference, metric)];
      });
    }),
  );
}
