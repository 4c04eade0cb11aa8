import { formatCount, lowerFirst, tellP } from "#packages/base";
import { evidenceRules, isRate, writeDifference } from "#packages/statistics";
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

function sayUntested(others: readonly ComparedFinal[]): string[] {
  const untested = others.filter(({ difference }) => difference?.p == null);
  const few = untested.filter(({ n }) => n < evidenceRules.forIntervals).length;
  const alike = untested.length - few;
  return [
    ...(few > 0 ? [`${formatCount(few, "configuration")} not tested: fewer than three seeds.`] : []),
    ...(alike > 0 ? [`${formatCount(alike, "configuration")} not tested: seeds do not vary.`] : []),
  ];
}
