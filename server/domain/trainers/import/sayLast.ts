import type { MetricValue } from "#trainer/spec/event.ts";
import { describeMetric, isMetricKey } from "#trainer/spec/metric.ts";
import { formatCount } from "#packages/base";

const numShown = 3;

/** Formats a run's last values: success rates first, then returns, then the others; the rest is counted. */
export function sayLast(last: Readonly<Record<string, MetricValue>>): string {
  const rank = (key: string) => (/successRate/.test(key) ? 0 : /returnMean/.test(key) ? 1 : 2);
  const keys = Object.keys(last).toSorted((a, b) => rank(a) - rank(b));
  const shown = keys.slice(0, numShown).map((key) => sayValue(key, last[key]));
  return shown.join(", ") + (keys.length > numShown ? ` and ${keys.length - numShown} more` : "");
}

function sayValue(key: string, value: MetricValue | undefined): string {
  const { title, unit } = isMetricKey(key) ? describeMetric(key) : { title: key, unit: "" };
  if (typeof value !== "number") return `${title} ${value}`;
  return unit === "fraction" ? `${title} ${(100 * value).toFixed(1)} %` : `${title} ${Number(value.toPrecision(4))}`;
}

/** Formats the number of a run's steps, and the last one if it is another number. */
export function saySteps({ steps, lastStep }: { steps: number; lastStep: number }): string {
  return `${formatCount(steps, "step")}${steps === lastStep ? "" : ` to ${lastStep.toLocaleString("en-US")}`}`;
}
