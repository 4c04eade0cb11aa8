import { describeMetric } from "#trainer/spec/metric.ts";
import { isImported, type StoredSpec } from "#server/domain/import/storedSpec.ts";
import type { RunReason } from "#server/domain/runStatus.ts";
import type { Curve } from "#server/domain/series/series.ts";
import { collapseSentence, findCollapse, type Collapse } from "#server/domain/stability/label/collapse.ts";
import { finalWindow } from "#server/domain/statistics/curve.ts";
import { median } from "#server/domain/statistics/summary.ts";
import {
  describeMissing,
  finalWindowSentence,
  formatFor,
  methodCell,
  methodColumn,
  metricColumn,
  provenanceOf,
  saySpread,
  summarize,
  textColumn,
} from "./columns.ts";
import { placeCells, type RunCurve, type TableCellInput } from "./input.ts";
import { decimalsFor } from "./number.ts";
import type { Column, Table, TableCell } from "./table.ts";

/** The other metrics that the table reads, by what it calls them. */
export const stabilityMetrics = {
  rollouts: "rollout/successRate",
  evaluations: "evaluation/successRate",
  kl: "policy/klReference",
  loss: "loss/total",
  gradientNorm: "update/gradientNorm",
  gradientNormMax: "update/gradientNormMax",
  duration: "time/iterationMs",
} as const;

/** A run whose own curve is the metric of the first column, with what else is known of it. */
export type StabilityRun = RunCurve & {
  others: Record<keyof typeof stabilityMetrics, Curve>;
  /** Null while it is not over. */
  reason: RunReason | null;
};

export type StabilityInput = {
  sweepName: string;
  planHash?: string;
  metric: string;
  cells: readonly TableCellInput[];
  curves: readonly StabilityRun[];
};

/** Who learns, how far it drifts, and who collapses: a row per cell, over its seeds. */
export function stabilityTable(input: StabilityInput): Table {
  const metric = describeMetric(input.metric);
  const placed = placeCells(input);
  const hasEnvironments = new Set(placed.map(({ environment }) => environment)).size > 1;
  const hasAxes = placed.some(({ axes }) => axes !== "");
  const rows = placed.map((cell) => {
    const collapses = cell.curves.map((run) => findCollapse(toEvidence(run, cell.spec)));
    return { cell, collapses, largest: largestGradient(cell.curves) };
  });
  const finals = input.curves.map((run) => finalWindow(run).value);
  const kls = input.curves.map((run) => finalWindow(run.others.kl).value);
  const seconds = input.curves.map(trainingSeconds);
  return {
    caption:
      `${input.sweepName}: ${metric.title} and stability per method, ${saySpread(placed)} (${finalWindowSentence}); ` +
      "largest gradient norm before clipping of any seed; median iteration of the collapses.",
    label: `${input.sweepName}-stability`,
    columns: [
      methodColumn,
      ...(hasEnvironments ? [textColumn("environment", "Environment")] : []),
      ...(hasAxes ? [textColumn("setting", "Setting")] : []),
      textColumn("n", "n"),
      metricColumn({ key: "final", header: metric.title, metric, format: formatFor(metric, finals) }),
      numberColumn("kl", "Final KL to reference", kls, "nats/token"),
      numberColumn(
        "gradientNorm",
        "Max gradient norm",
        rows.map(({ largest }) => largest),
      ),
      textColumn("collapsed", "Collapsed"),
      textColumn("collapseAt", "Collapse at"),
      numberColumn("trainingTime", "Training time per run", seconds, "s"),
    ],
    rows: rows.map(({ cell, collapses, largest }) => ({
      cells: [
        methodCell(cell.method),
        ...(hasEnvironments ? [toText(cell.environment)] : []),
        ...(hasAxes ? [toText(cell.axes)] : []),
        toText(String(cell.curves.filter((run) => Number.isFinite(finalWindow(run).value)).length)),
        summarize(cell.curves, (run) => finalWindow(run).value),
        summarize(cell.curves, (run) => finalWindow(run.others.kl).value),
        Number.isNaN(largest) ? ({ kind: "missing" } as const) : ({ kind: "number", value: largest } as const),
        toText(sayCollapsed(cell.curves, collapses)),
        sayWhen(collapses),
        summarize(cell.curves, trainingSeconds),
      ],
      runIds: cell.curves.map(({ runId }) => runId),
      block: cell.environment,
    })),
    notes: [
      collapseSentence,
      "A gradient norm that was not finite counts as inf. Training time: all iterations, beside other runs; without cloning, which runs with the same start share.",
      ...describeMissing(input.curves),
    ],
    provenance: provenanceOf(input),
  };
}

function toEvidence({ others, reason }: StabilityRun, spec: StoredSpec) {
  return { ...others, ...sizesOf(spec), reason };
}

function sizesOf(spec: StoredSpec) {
  if (isImported(spec)) {
    const { numEpisodes, groupSize, numHeldOut } = spec.sampling;
    const numGroups = Math.max(1, Math.round(numEpisodes / groupSize));
    return { numGroups, groupSize, numEvaluationEpisodes: numHeldOut };
  }
  const { numGroups, groupSize } = spec.rollout;
  return { numGroups, groupSize, numEvaluationEpisodes: spec.evaluation.numEpisodes };
}

/** Of any seed and update; infinite once one was not finite, NaN when none was logged. */
function largestGradient(runs: readonly StabilityRun[]): number {
  const norms = runs.flatMap(({ others: { gradientNorm, gradientNormMax } }) => [
    ...gradientNorm.values,
    ...gradientNormMax.values,
  ]);
  if (norms.length === 0) return NaN;
  return norms.reduce((most, norm) => (Number.isFinite(norm) ? Math.max(most, norm) : Infinity), 0);
}

/** NaN for a run that goes on, or whose trainer does not say. */
function trainingSeconds({ reason, others }: StabilityRun): number {
  const { values } = others.duration;
  if (reason === null || values.length === 0) return NaN;
  return values.reduce((sum, ms) => sum + ms, 0) / 1000;
}

/** "1/3": of the runs that logged anything. */
function sayCollapsed(runs: readonly StabilityRun[], collapses: readonly (Collapse | undefined)[]): string {
  const numJudged = runs.filter(({ others }) => others.rollouts.values.length > 0).length;
  return `${collapses.filter((collapse) => collapse !== undefined).length}/${numJudged}`;
}

function sayWhen(collapses: readonly (Collapse | undefined)[]): TableCell {
  const iterations = collapses.flatMap((collapse) => (collapse ? [collapse.iteration] : []));
  return iterations.length === 0 ? { kind: "missing" } : toText(String(median(iterations)));
}

/** Not ranked: a small KL or a short time is no merit of its own. Typical values decide the digits, not the largest. */
function numberColumn(key: string, header: string, values: readonly number[], unit = ""): Column {
  const finite = values.filter((x) => Number.isFinite(x));
  const format = { shift: 0, decimals: decimalsFor([median(finite)], 3) };
  return { key, header, ...(unit === "" ? {} : { unit }), better: "none", format };
}

function toText(text: string): TableCell {
  return { kind: "text", text };
}
