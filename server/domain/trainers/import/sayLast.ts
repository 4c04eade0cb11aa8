import type { MetricValue } from "#trainer/spec/event.ts";
import { formatCount } from "#packages/base";

const numShown = 3;

/** Formats a run's last values: success rates first, then returns, then the others; the rest is counted. */
export function sayLast(last: Readonly<Record<string, MetricValue>>): string {
  const rank = (key: string) => (/successRate/.test(key) ? 0 : /returnMean/.test(key) ? 1 : 2);
  const keys = Object.keys(last).toSorted((a, b) => rank(a) - rank(b));
  const shown = keys.slice(0, numShown).map((key) => {
    const value = last[key];
    return `${key} ${typeof value === "number" ? Number(value.toPrecision(4)) : value}`;
  });
  return shown.join(", ") + (keys.length > numShown ? ` and ${keys.length - numShown} more` : "");
}

/** Formats the number of a run's steps, and the last one if it is another number. */
export function saySteps({ steps, lastStep }: { steps: number; lastStep: number }): string {
  return `${formatCount(steps, "step")}${steps === lastStep ? "" : ` to ${lastStep.toLocaleString("en-US")}`}`;
}
