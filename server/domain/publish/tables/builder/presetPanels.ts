import { describeMetric } from "#trainer/spec/metric.ts";
import { mean, median, std } from "#packages/statistics";
import { decimalsFor, type NumberFormat } from "#packages/base";
import { plainFormat, type TableCell, textCell } from "#packages/tables";
import { formatFor } from "./columnParts.ts";
import type { BuilderRun } from "./input.ts";
import { readBy, type Panel, type Seen } from "./panels.ts";

export const stabilityMetrics = {
  rollouts: "rollout/successRate",
  kl: "policy/klReference",
  gradientNorm: "update/gradientNorm",
  gradientNormMax: "update/gradientNormMax",
  duration: "time/iterationMs",
} as const;

type PanelParts = Pick<Panel, "key" | "metricKey" | "header"> & Partial<Panel>;

/** Makes a column of means and spreads; by default, of the final window. */
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

/** Makes a column without marks: a value before training or a small drift is not an achievement. */
export function unranked(parts: PanelParts): Panel {
  const made = panel(parts);
  return { ...made, metric: { ...made.metric, better: "none" } };
}

/** Makes a format from the main column, so that columns of a metric agree. */
export function byMain(metricKey: string) {
  return ({ main: values }: Seen): NumberFormat => formatFor(describeMetric(metricKey), values);
}

/** Makes a format from the median, which outliers do not affect. */
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

const trainingMs = readBy(stabilityMetrics.duration, "sum");
const norms = [
  readBy(stabilityMetrics.gradientNorm, "largest"),
  readBy(stabilityMetrics.gradientNormMax, "largest"),
] as const;

/** Finds the maximum over all seeds and updates; infinite if any value was not finite. */
function findLargestNorm(runs: readonly BuilderRun[]): TableCell {
  const values = runs.flatMap((run) => norms.map((read) => read(run))).filter((x) => !Number.isNaN(x));
  return values.length === 0 ? { kind: "missing" } : { kind: "number", value: Math.max(...values) };
}

const wordPanel = {
  environment: undefined,
  metricKey: "",
  metric: { unit: "", better: "none" },
  isMain: false,
  value: () => NaN,
  format: () => plainFormat,
} as const;

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

/** Columns besides success, not ranked: a small KL is not an achievement. */
export const stabilityPanels: readonly Panel[] = [
  panel({
    key: "kl",
    metricKey: stabilityMetrics.kl,
    header: "Final KL to reference",
    metric: { ...describeMetric(stabilityMetrics.kl), better: "none" },
    format: ({ runs }) => byMedian(runs),
  }),
  panel({
    key: "gradientNorm",
    metricKey: stabilityMetrics.gradientNorm,
    header: "Max gradient norm of any seed",
    metric: { unit: "", better: "none" },
    format: ({ cells }) => byMedian(cells),
    cell: findLargestNorm,
  }),
  { ...wordPanel, key: "collapsed", header: "Collapsed", cell: (runs) => textCell(countCollapsed(runs)) },
  { ...wordPanel, key: "collapseAt", header: "Collapse at", cell: formatCollapseTime },
  panel({
    key: "trainingTime",
    metricKey: stabilityMetrics.duration,
    header: "Training time per run",
    metric: { unit: "s", min: 0, better: "none" },
    format: ({ runs }) => byMedian(runs),
    // Seconds; NaN for an unfinished run, or if the trainer does not log time.
    value: (run) => (run.reason === null ? NaN : trainingMs(run) / 1000),
  }),
];
