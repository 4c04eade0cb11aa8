import { describeMetric } from "#trainer/spec/metric.ts";
import { mean, median, std } from "#packages/statistics";
import { decimalsFor, type NumberFormat } from "#packages/base";
import type { TableCell } from "../table.ts";
import { formatFor, plainFormat, textCell } from "./columnParts.ts";
import type { BuilderRun } from "./input.ts";
import { readBy, type Panel, type Seen } from "./panels.ts";

/** Metrics of the stability table, in addition to its main metric. */
export const stabilityMetrics = {
  rollouts: "rollout/successRate",
  kl: "policy/klReference",
  gradientNorm: "update/gradientNorm",
  gradientNormMax: "update/gradientNormMax",
  duration: "time/iterationMs",
} as const;

type PanelParts = Pick<Panel, "key" | "metricKey" | "header"> & Partial<Panel>;

/** Makes a column with mean and spread over the runs that have a value; by default, the values of the final window. */
export function panel(parts: PanelParts): Panel {
  const { metricKey, value = readBy(metricKey, "final") } = parts;
  return {
    environment: undefined,
    metric: describeMetric(metricKey),
    isMain: false,
    value,
    cell: (runs) => summarize(runs.map(value)),
    ...parts,
  };
}

/** Makes a column whose best value is not marked: a value before training or a small drift is not an achievement. */
export function unranked(parts: PanelParts): Panel {
  const made = panel(parts);
  return { ...made, metric: { ...made.metric, better: "none" } };
}

/** Makes a number format from the largest value of any run in the main column, so that columns of a metric agree. */
export function byMain(metricKey: string) {
  return ({ main: values }: Seen): NumberFormat => formatFor(describeMetric(metricKey), values);
}

/** Makes a number format from the median of the values, so that outliers do not affect it. */
function byMedian(values: readonly number[]): NumberFormat {
  return { shift: 0, decimals: decimalsFor([median(values.filter((x) => Number.isFinite(x)))], 3) };
}

export function main(key: string): Panel {
  return panel({ key: "final", metricKey: key, header: describeMetric(key).title, format: byMain(key), isMain: true });
}

export function before(key: string): Panel {
  const value = readBy(key, "before");
  return unranked({ key: "before", metricKey: key, header: "Before RL", value, format: byMain(key) });
}

const drift = panel({
  key: "kl",
  metricKey: stabilityMetrics.kl,
  header: "Final KL to reference",
  metric: { unit: "nats/token", better: "none" },
  format: ({ runs }) => byMedian(runs),
});

const norms = [
  readBy(stabilityMetrics.gradientNorm, "largest"),
  readBy(stabilityMetrics.gradientNormMax, "largest"),
] as const;
const largestGradient = panel({
  key: "gradientNorm",
  metricKey: stabilityMetrics.gradientNorm,
  header: "Max gradient norm",
  metric: { unit: "", better: "none" },
  format: ({ cells }) => byMedian(cells),
  // Maximum over all seeds and updates; infinite if any value was not finite.
  cell: (runs) => {
    const values = runs.flatMap((run) => norms.map((read) => read(run))).filter((x) => !Number.isNaN(x));
    return values.length === 0 ? { kind: "missing" } : { kind: "number", value: Math.max(...values) };
  },
});

const trainingMs = readBy(stabilityMetrics.duration, "sum");
const trainingTime = panel({
  key: "trainingTime",
  metricKey: stabilityMetrics.duration,
  header: "Training time per run",
  metric: { unit: "s", better: "none" },
  format: ({ runs }) => byMedian(runs),
  // Training time in seconds; NaN for an unfinished run, or if the trainer does not log time.
  value: (run) => (run.reason === null ? NaN : trainingMs(run) / 1000),
});

const wordPanel = {
  environment: undefined,
  metricKey: "",
  metric: { unit: "", better: "none" },
  isMain: false,
  value: () => NaN,
  format: () => plainFormat,
} as const;

/** Counts the collapsed runs among the labelled runs, in the form "1/3". */
function countCollapsed(runs: readonly BuilderRun[]): string {
  const judged = runs.filter(({ collapse }) => collapse !== undefined);
  return `${judged.filter(({ collapse }) => collapse?.hasCollapsed).length}/${judged.length}`;
}

function formatCollapseTime(runs: readonly BuilderRun[]): TableCell {
  const iterations = runs.flatMap(({ collapse }) => collapse?.iteration ?? []);
  return iterations.length === 0 ? { kind: "missing" } : textCell(String(median(iterations)));
}

function summarize(values: readonly number[]): TableCell {
  const finite = values.filter((x) => Number.isFinite(x));
  if (finite.length === 0) return { kind: "missing" };
  return { kind: "meanStd", mean: mean(finite), std: std(finite), n: finite.length };
}

/** Columns of the stability table besides success. They are not ranked: a small KL is not an achievement. */
export const stabilityPanels: readonly Panel[] = [
  drift,
  largestGradient,
  { ...wordPanel, key: "collapsed", header: "Collapsed", cell: (runs) => textCell(countCollapsed(runs)) },
  { ...wordPanel, key: "collapseAt", header: "Collapse at", cell: formatCollapseTime },
  trainingTime,
];
