import { describeMetric } from "#trainer/spec/metric.ts";
import { isOver } from "#server/domain/runs/runStatus.ts";
import { collapseSentence } from "#packages/detector";
import { nameSpread } from "#packages/statistics";
import { formatCount } from "#packages/base";
import type { FixedKind } from "../query.ts";
import type { Table } from "#packages/tables";
import { buildTable } from "./build.ts";
import { describeRule, describeUnclear, tellMarks, titleOf, type Facts } from "./caption.ts";
import { formatFor } from "./columnParts.ts";
import { computeTable } from "./compute.ts";
import type { BuilderInput, BuilderRun } from "./input.ts";
import { type Form, layTable } from "./layout.ts";
import { fillOptions, type FullOptions } from "./options.ts";
import { byType, headerOf, headerOfTask, inTaskOrder, readBy } from "./panels.ts";
import { before, byMain, main, panel, stabilityPanels, unranked } from "./presetPanels.ts";

const single = ["evaluation/score", "evaluation/unseenSuccessRate", "evaluation/unseenScore"];

/** True if the table of tasks has a column for the metric besides the main metric's. */
export function isTaskMetric(key: string): boolean {
  return single.includes(key) || byType.test(key);
}

/** Returns the options of preset tables: mean and spread over seeds, without comparisons. */
export function presetOptions(metric: string): FullOptions {
  return fillOptions({ metrics: [metric], baseline: "", test: "none", collapse: "none", group: "none" });
}

export function buildPreset(kind: FixedKind, input: BuilderInput, metric: string): Table {
  const layout = layTable(input, presetOptions(metric), presets[kind]);
  return buildTable(computeTable(layout), { width: "column" });
}

/** Each preset is a built table with fixed rows, columns and words. */
const presets: Record<FixedKind, Form> = {
  // Rows are methods (and axis values), columns are environments.
  final: {
    rows: "apart",
    listPanels: (_, environments, { metrics: [key = ""] }) =>
      environments.map((environment) => {
        const header = headerOf(environment, describeMetric(key).title);
        return panel({ key: environment, metricKey: key, header, environment, isMain: true });
      }),
    label: named(""),
    caption: (facts) => {
      const { options, runs } = facts;
      const seeds = [...new Set(runs.map(({ seed }) => seed))].sort((a, b) => a - b);
      return (
        `${explainPreset(facts, titleOf)}, ${describeSpread(facts)}, ${describeRule("final", options.metrics)}. ` +
        `${facts.areSeveralTasks ? tellMarks(facts) : "Best bold, second underlined"}. Seeds ${seeds.join(", ")}.`
      );
    },
    notes: describeMissing,
  },
  // Success before training, in the final window, and at each run's best evaluation.
  beforeAfter: {
    rows: "down",
    listPanels: (_, __, { metrics: [key = ""] }) => [
      before(key),
      panel({ key: "final", metricKey: key, header: "Final window", format: byMain(key), isMain: true }),
      unranked({
        key: "best",
        metricKey: key,
        header: "Best, selected on the same data",
        value: readBy(key, "best"),
        format: byMain(key),
      }),
    ],
    label: named("-before-after"),
    caption: (facts) =>
      `${explainPreset(facts)} before and after reinforcement learning, ${describeSpread(facts)} ` +
      `(${describeRule("final", facts.options.metrics)}). The best evaluation of a run is selected on the data that it ` +
      "is reported on, so it is biased upwards.",
    notes: describeMissing,
  },
  // Sub-tasks of the papers. A column that no run logged is omitted.
  tasks: {
    rows: "down",
    listPanels: (rows, _, { metrics: [key = ""] }) => {
      const runs = rows.flatMap(({ cells }) => cells.flatMap((cell) => cell.runs));
      const logged = [...new Set(runs.flatMap(({ readings }) => [...readings.keys()]))];
      const tasks = logged.filter(isTaskMetric).sort(inTaskOrder);
      return [
        before(key),
        main(key),
        ...tasks.map((task) => {
          const format = () => formatFor(describeMetric(task), []);
          return panel({ key: task, metricKey: task, header: headerOfTask(task), format });
        }),
      ];
    },
    label: ({ sweepNames }) => `${sweepNames.join(" and ")}-tasks`,
    caption: (facts) =>
      `${explainPreset(facts)} before and after reinforcement learning and by type of task, ${describeSpread(facts)} ` +
      `(${describeRule("final", facts.options.metrics)}).`,
    notes: describeMissing,
  },
  // Collapses are hindsight labels; runs without a label are not counted.
  stability: {
    rows: "down",
    listPanels: (_, __, { metrics: [key = ""] }) => [main(key), ...stabilityPanels],
    label: ({ sweepNames }) => `${sweepNames.join(" and ")}-stability`,
    caption: (facts) =>
      `${explainPreset(facts)} and stability per method, ${describeSpread(facts)} (${describeRule("final", facts.options.metrics)}); ` +
      "maximum gradient norm before clipping over seeds; median iteration of the collapses.",
    notes: (facts) => [
      collapseSentence,
      ...describeUnjudged(facts),
      ...describeUnclear(facts),
      "A non-finite gradient norm counts as inf. Training time covers all iterations, and was measured while other runs shared the node. It excludes behaviour cloning, because all runs with the same initial policy share the cloned policy.",
      ...describeMissing(facts),
    ],
  },
};

function named(ending: string) {
  return ({ sweepNames, options: { metrics } }: Facts) => `${sweepNames.join(" and ")}-${metrics.join("-")}${ending}`;
}

function explainPreset({ sweepNames, options }: Facts, say = (key: string) => describeMetric(key).title): string {
  return `${sweepNames.join(" and ")}: ${options.metrics.map(say).join(", ")}`;
}

function describeSpread({ counts }: Facts): string {
  const all = [...counts.values()].filter(({ most }) => most > 0);
  const most = Math.max(0, ...all.map((count) => count.most));
  if (most === 1) return "one seed each";
  return nameSpread({ fewest: Math.min(most, ...all.map((count) => count.fewest)), most });
}

function describeUnjudged({ runs }: Facts): string[] {
  const unjudged = runs.filter(({ collapse }) => collapse === undefined).length;
  return unjudged === 0
    ? []
    : [`${formatCount(unjudged, "run")} not judged: still in progress, too short, or without a success metric.`];
}

/** Notes values missing from the means, or of unfinished runs. */
function describeMissing({ runs, options: { metrics } }: Facts): string[] {
  const [key = ""] = metrics;
  const final = readBy(key, "final");
  const count = (test: (run: BuilderRun) => boolean) => runs.filter(test).length;
  const remarks: [number, string][] = [
    [count(({ status }) => !isOver(status)), "still in progress (numbers are provisional)"],
    [count(({ status }) => status === "failed"), "failed (measurements until then are included)"],
    [count(({ status }) => status === "cancelled"), "cancelled (measurements until then are included)"],
    [count((run) => Number.isNaN(final(run))), "without an evaluation after training began (not included)"],
    [
      count(({ readings }) => (readings.get(key)?.final.numNonFinite ?? 0) > 0),
      "with non-finite evaluations in the final window (these evaluations are not included)",
    ],
  ];
  return remarks.filter(([n]) => n > 0).map(([n, text]) => `${n} of ${formatCount(runs.length, "run")} ${text}.`);
}
