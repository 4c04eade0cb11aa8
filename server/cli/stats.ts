import { isMetricKey, describeMetric } from "#trainer/spec/metric.ts";
import { compareMethods, type CompareOptions } from "#server/domain/statistics/compare.ts";
import { parseLongFormat } from "#server/domain/statistics/longFormat.ts";
import { selectPanels } from "#server/domain/statistics/panels.ts";
import { readInputFile } from "./inputFile.ts";
import type { Outcome, Screen } from "./outcome.ts";
import { showComparison } from "./statsView.ts";

export type StatsCommand = { kind: "stats"; file: string; options: Omit<CompareOptions, "better"> };

/** The full comparison of methods over seeds, of a CSV file in the long format; needs neither studio nor database. */
export async function printStatistics({ file, options }: StatsCommand, screen: Screen): Promise<Outcome> {
  const long = parseLongFormat(await readInputFile(file));
  const { metric } = selectPanels(long.rows, options);
  const isDown = isMetricKey(metric) && describeMetric(metric).better === "down";
  const comparison = compareMethods(long, { ...options, better: isDown ? "down" : "up" });
  return { text: showComparison(comparison, screen), json: comparison, exitCode: 0 };
}
