import { channels, guardMetrics } from "#packages/detector";
import { stabilityMetrics } from "#server/domain/publish/tables/builder/presetPanels.ts";
import { collapseMetrics } from "#server/domain/publish/tables/builder/collapses.ts";
import { heldOutSuccess, trainingSuccess, type MetricKey } from "#trainer/spec/metric.ts";

/** Metrics that explain a collapse but that no rule reads. */
const explaining: readonly MetricKey[] = [
  "group/zeroVarianceFraction",
  "loss/policy",
  "policy/clipFraction",
  "policy/maskedRowFraction",
  "policy/staleness",
  "mismatch/k3",
  "mismatch/essRow",
  "mismatch/stalenessK3",
  "mismatch/precisionK3",
  "correction/effectiveFraction",
  "correction/rejectedTokenFraction",
  "correction/rejectedRowFraction",
  "correction/stepScale",
];

const essential: ReadonlySet<string> = new Set([
  ...Object.values(channels).flatMap(({ metrics }) => metrics),
  ...trainingSuccess,
  ...heldOutSuccess,
  ...guardMetrics,
  ...Object.values(stabilityMetrics),
  ...Object.values(collapseMetrics),
  ...explaining,
]);

/**
 * Reduces a log line to the metrics that labels, rules and tables of stability read; about a quarter of a log remains.
 * Other lines stay unchanged.
 */
export function keepEssential(line: string): string {
  if (!line.includes('"type":"metrics"')) return line;
  try {
    const event: unknown = JSON.parse(line);
    if (typeof event !== "object" || event === null || !("values" in event)) return line;
    const kept = Object.entries(Object(event.values)).filter(([key]) => essential.has(key));
    return JSON.stringify({ ...event, values: Object.fromEntries(kept) });
  } catch {
    // The last line of a killed process may be torn.
    return line;
  }
}
