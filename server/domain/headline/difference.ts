import type { Metric } from "#trainer/spec/metric.ts";
import { evidenceRules } from "#server/domain/statistics/evidence.ts";
import { welchTest } from "#server/domain/statistics/tTests.ts";
import { decimalsFor, formatNumber } from "#server/domain/tables/number.ts";
import type { Ranked, Ranking } from "./rank.ts";

/**
 * "+4.1 ± 3.0" by configuration: what each came to, less what the baseline did, with half of Welch's 95 % interval where both
 * have three seeds that vary. Another environment's are compared with the baseline's configuration there, by its name.
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
      return ranked.map((one): [number, string] => [
        one.cellId,
        one === baseline ? "baseline" : describeDifference(one, baseline, metric),
      ]);
    }),
  );
}

function describeDifference(one: Ranked, baseline: Ranked, { unit }: Pick<Metric, "unit">): string {
  const { difference, interval } = welchTest(
    one.values.filter(Number.isFinite),
    baseline.values.filter(Number.isFinite),
  );
  const halfWidth = (interval.high - interval.low) / 2;
  const format =
    unit === "fraction" ? { shift: 2, decimals: 1 } : { shift: 0, decimals: decimalsFor([one.mean, baseline.mean], 3) };
  const sign = difference < 0 ? "−" : "+";
  const hasInterval = Math.min(one.n, baseline.n) >= evidenceRules.forIntervals && Number.isFinite(halfWidth);
  const spread = hasInterval ? ` ± ${formatNumber(halfWidth, format)}` : "";
  return `${sign}${formatNumber(Math.abs(difference), format)}${spread}`;
}
