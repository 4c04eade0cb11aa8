import { formatCount, lowerFirst, tellP } from "#packages/base";
import { evidenceRules, holm, isRate, writeDifference } from "#packages/statistics";
import { describeMetric } from "#trainer/spec/metric.ts";
import type { ComparedFinal } from "./finals.ts";

/** Names of configurations by cell, and the key of the compared metric. */
type Named = { names: ReadonlyMap<number, string>; metric: string };

/**
 * Says which configurations differ from the baseline by Holm's correction; empty if no difference has a p-value, and for
 * several tasks, each with a baseline of its own.
 */
export function sayFinals(values: readonly ComparedFinal[], { names, metric }: Named): string {
  if (new Set(values.map(({ baselineId }) => baselineId)).size > 1) return "";
  const described = describeMetric(metric);
  const baseline = values.find(({ cellId, baselineId }) => cellId === baselineId);
  const others = values.filter((value) => value !== baseline);
  const tested = others.flatMap(({ cellId, difference, correctedP: p }) =>
    difference && p !== null ? [{ name: names.get(cellId) ?? "", difference, p }] : [],
  );
  if (tested.length === 0 || !baseline) return "";
  const shown = tested.filter(({ p }) => p < 0.05);
  const from = `${names.get(baseline.cellId) ?? ""} in ${lowerFirst(described.title)}`;
  const unit = isRate(described) ? " points" : "";
  const by = tested.length > 1 ? ", Holm" : "";
  const texts = (tested.length === 1 ? tested : shown).map(
    ({ name, difference, p }) => `${name} ${writeDifference(difference, described)}${unit} (${tellP(p)}${by})`,
  );
  const details = texts.length > 0 ? `: ${texts.join(", ")}` : "";
  const result = shown.length > 0 ? `Different from ${from}` : `No significant difference from ${from}`;
  return [`${result}${details}.`, ...sayUntested(others)].join(" ");
}

/** Panel of a figure: final values of one metric. */
type Panel = { metric: string; values: readonly ComparedFinal[] };

/**
 * Says in which metrics of a figure configurations differ from the baseline by Holm's correction over all panels; empty
 * without a test, and for several tasks.
 */
export function sayPanels(panels: readonly Panel[], names: Named["names"]): string {
  const [first] = panels;
  if (first && panels.length === 1) return sayFinals(first.values, { names, metric: first.metric });
  const [baselineId, ...others] = new Set(panels.flatMap(({ values }) => values.map((value) => value.baselineId)));
  const tests = panels.flatMap(({ metric, values }) =>
    values.flatMap(({ cellId, difference }) => (difference?.p == null ? [] : [{ metric, cellId, difference }])),
  );
  if (baselineId === undefined || others.length > 0 || tests.length === 0) return "";
  const corrected = holm(tests.map(({ difference }) => difference.p ?? NaN));
  const shown = tests.flatMap((test, i) => {
    const p = corrected[i] ?? NaN;
    return p < 0.05 ? [{ ...test, p }] : [];
  });
  const countMetrics = (some: typeof tests) => new Set(some.map(({ metric }) => metric)).size;
  const numUntested = panels.length - countMetrics(tests);
  const of = formatCount(countMetrics(tests), "compared metric");
  const untested = numUntested > 0 ? ` ${formatCount(numUntested, "metric")} not tested.` : "";
  const baseline = names.get(baselineId) ?? "";
  if (shown.length === 0) return `None of ${of} differs significantly from ${baseline} (Holm’s correction).${untested}`;
  const texts = shown.map(({ metric, cellId, difference, p }) => {
    const described = describeMetric(metric);
    const unit = isRate(described) ? " points" : "";
    return `${lowerFirst(described.title)} (${names.get(cellId) ?? ""} ${writeDifference(difference, described)}${unit}, ${tellP(p)})`;
  });
  return `${countMetrics(shown)} of ${of} ${countMetrics(shown) === 1 ? "differs" : "differ"} significantly from ${baseline} (Holm’s correction): ${texts.join(", ")}.${untested}`;
}

function sayUntested(others: readonly ComparedFinal[]): string[] {
  const untested = others.filter(({ difference }) => difference?.p == null);
  const few = untested.filter(({ n }) => n < evidenceRules.forIntervals).length;
  const alike = untested.length - few;
  return [
    ...(few > 0 ? [`${formatCount(few, "configuration")} not tested: fewer than three seeds.`] : []),
    ...(alike > 0 ? [`${formatCount(alike, "configuration")} not tested: seeds do not vary.`] : []),
  ];
}
