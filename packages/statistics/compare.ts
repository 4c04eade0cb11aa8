import { describeMetric } from "#trainer/spec/metric.ts";
import { AppError, formatCount } from "#packages/base";
import type { PairOptions, TestKind } from "./comparePair.ts";
import { comparePanel, type Panel } from "./comparePanel.ts";
import { comparePooled, type PooledComparison } from "./comparePooled.ts";
import type { LongFile } from "./longFormat.ts";
import { selectPanels, type PanelScores, type Selected, type Selection } from "./panels.ts";
import { warnOfSelection } from "./selectionBias.ts";

export type CompareOptions = Selection & Partial<PairOptions> & { baseline?: string; test?: TestKind | "auto" };

export type Comparison = PairOptions & {
  metric: string;
  rule: string;
  baseline: string;
  collapses: Selected["collapses"];
  panels: readonly Panel[];
  pooled: PooledComparison;
  /** Sentences to print with the results: the methods used, missing values, and conclusions to avoid. */
  notes: readonly string[];
};

export function compareMethods(file: LongFile, options: CompareOptions = {}): Comparison {
  const selected = selectPanels(file.rows, options);
  const { better = "up", test = "auto", level = 0.95, seed = 0, numResamples = 10_000 } = options;
  const baseline = chooseBaseline(selected.panels, options.baseline);
  const values = selected.panels.flatMap(({ methods }) =>
    methods.flatMap(({ scores }) => scores.map(({ value }) => value)),
  );
  // A rate above 1 shows that the file contains percentages, which are not clipped to [0, 1].
  const isRate = describeMetric(selected.metric).unit === "fraction" && values.every((value) => !(value > 1));
  const settings = { baseline, better, test, level, seed, numResamples, isRate };
  const panels = selected.panels.map((panel) => comparePanel(panel, settings));
  const pooled = comparePooled(selected.panels, settings);
  const notes = [...selected.notes, ...describe(panels, selected, settings), ...describePooled(pooled, level)];
  const ignored = file.ignoredColumns;
  if (ignored.length > 0) notes.push(`Columns of the file that were ignored: ${ignored.join(", ")}.`);
  const { metric, rule, collapses } = selected;
  return { metric, rule, baseline, better, level, seed, numResamples, collapses, panels, pooled, notes };
}

function chooseBaseline(panels: readonly PanelScores[], wanted: string | undefined): string {
  const names = [...new Set(panels.flatMap(({ methods }) => methods.map(({ method }) => method)))];
  if (wanted !== undefined && !names.includes(wanted)) {
    throw new AppError(
      "bad_input",
      `there is no method "${wanted}" to compare with; the methods are ${names.join(", ")}`,
    );
  }
  return wanted ?? names.find((name) => /^grpo$/i.test(name)) ?? names[0] ?? "";
}

const testNames: Record<TestKind, string> = {
  welch: "Welch's t-test",
  permutation: "permutation test of means",
  mannWhitney: "Mann–Whitney test",
  paired: "paired t-test over equal seeds",
};

function describe(
  panels: readonly Panel[],
  { rule, collapses }: Selected,
  { baseline, level }: { baseline: string; level: number },
): string[] {
  const percent = `${100 * level}%`;
  const tests = [...new Set(panels.map(({ test }) => testNames[test]))].join(", ");
  const summaries = panels.flatMap(({ methods }) => methods);
  const fewest = Math.min(...summaries.map(({ n }) => n));
  const numMissing = summaries.reduce((sum, summary) => sum + summary.numMissing, 0);
  const collapseRule = {
    column: "Collapsed: as in the file's column `collapsed`, with Wilson intervals.",
    halfOfBest:
      "Collapsed: runs whose final window kept less than half of their best evaluation, with Wilson intervals.",
    unknown:
      "Collapsed: unknown, because the file has neither a column `collapsed` nor the checkpoint rules best and final-window.",
  }[collapses];
  return [
    `Mean [${percent} CI (t)] over seeds; intervals of rates are cut at 0 and 1. SD: standard deviation (n − 1).`,
    `Differences and tests against ${baseline}, ${describePairing(panels)}.`,
    `p: ${tests}, two-sided, corrected by Holm over the methods of one panel; * ** *** below .05 .01 .001.`,
    collapseRule,
    ...(rule === "best" ? [`${warnOfSelection({ numEpisodes: 128, numCheckpoints: 40 })}.`] : []),
    ...(panels.some(({ test }) => test === "paired")
      ? ["A paired test is valid only if equal seeds share their random numbers in both methods."]
      : []),
    ...(fewest < 5
      ? ["†: fewer than five seeds, so no stars; with fewer than three, no interval and no effect size either."]
      : []),
    ...describeConstants(panels),
    ...(numMissing > 0
      ? [
          `${formatCount(numMissing, "run has no number and is", "runs have no number and are")} left out: missing or diverged.`,
        ]
      : []),
    "A large p does not prove that two methods are equal: see the interval of the difference.",
  ];
}

function describePairing(panels: readonly Panel[]): string {
  const against = panels.flatMap(({ methods }) => methods.flatMap((method) => method.against ?? []));
  const pairings = [...new Set(against.map(({ pairing }) => pairing))];
  return pairings.length === 0 ? "unpaired" : pairings.join(" and ");
}

/** Describes samples whose values are all equal: which statistics are missing, and which remain valid. */
function describeConstants(panels: readonly Panel[]): string[] {
  const found = panels.flatMap(({ env, subtask, methods }) =>
    methods
      .filter(({ isConstant }) => isConstant)
      .map(({ method, n, mean }) => {
        const where = panels.length === 1 ? "" : ` in ${subtask === "all" ? env : `${env}, ${subtask}`}`;
        return `${method}${where} (${n} seeds, all ${Number(mean.toPrecision(6))})`;
      }),
  );
  if (found.length === 0) return [];
  return [
    `Constant: ${found.join("; ")}. Values that never vary have no interval and no t-test. The permutation and ` +
      "Mann–Whitney tests need no spread, but a difference between two constants gets no stars.",
  ];
}

function describePooled(pooled: PooledComparison, level: number): string[] {
  if (pooled.kind === "none") return [`Tasks are not pooled: ${pooled.reason}.`];
  const left =
    pooled.leftOut.length > 0 ? [`Not pooled, because a task is missing: ${pooled.leftOut.join(", ")}.`] : [];
  return [
    `Pooled over ${pooled.tasks.join(", ")}: stratified bootstrap, ${100 * level}% percentile intervals. The IQM hides collapsed seeds.`,
    ...left,
  ];
}
