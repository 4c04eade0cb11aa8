import { familiesOf, isInFamily, type Family } from "#app/_charts/families.ts";
import { findMetrics, groupMetrics } from "#app/_charts/groupMetrics.ts";

/** A section of the run page: charts of single metrics, and charts of metric families with one line per metric. */
export type Section = {
  name: string;
  title: string;
  keys: string[];
  families: Family[];
  /** True while the section is collapsed; its charts are then neither fetched nor drawn. */
  isFolded: boolean;
  /** Number of further metrics after those in `keys`, shown on request. */
  numMore: number;
};

/** Keys of the metrics in the overview: task success, distance from the initial policy, and size of the updates. */
const glance = [
  "evaluation/successRate",
  "rollout/successRate",
  "policy/klReference",
  "policy/entropy",
  "update/gradientNorm",
  "policy/clipFraction",
  "policy/effectiveSampleFraction",
  "loss/policy",
];
const diagnoses = ["turns"];

/** Number of single-metric charts that a section shows at first, and that each click on "more" adds. */
export const chartsAtOnce = 24;
const maxOpenCharts = 96;

/** Returns sections of charts, folded beyond `maxOpenCharts`. `opened`: clicks on "more" by opened section. */
export function prepareSections(
  keys: readonly string[],
  search: string,
  opened: ReadonlyMap<string, number>,
): Section[] {
  let numOpen = 0;
  return listSections(keys, search, opened).map((section) => {
    const numShown = chartsAtOnce * (1 + (opened.get(section.name) ?? 0));
    const shown = {
      ...section,
      keys: section.keys.slice(0, numShown),
      numMore: Math.max(0, section.keys.length - numShown),
    };
    if (section.isFolded || opened.has(section.name)) return { ...shown, isFolded: section.isFolded };
    numOpen += shown.keys.length;
    return { ...shown, isFolded: numOpen > maxOpenCharts };
  });
}

type Whole = Omit<Section, "numMore">;

function listSections(keys: readonly string[], search: string, opened: ReadonlyMap<string, number>): Whole[] {
  const found = findMetrics(keys, search);
  if (search.trim() !== "") return groupMetrics(found).map((group) => toSection(group, false));
  const first = glance.filter((key) => found.includes(key));
  const groups = groupMetrics(found.filter((key) => !first.includes(key)));
  const sections = [
    ...(first.length > 0 ? [toSection({ name: "glance", title: "At a glance", keys: first }, false)] : []),
    ...groups.filter(({ name }) => diagnoses.includes(name)).map((group) => toSection(group, false)),
    ...groups.filter(({ name }) => !diagnoses.includes(name)).map((group) => toSection(group, !opened.has(group.name))),
  ];
  // If a run has none of the overview metrics, all its sections are open.
  return first.length > 0 ? sections : sections.map((section) => ({ ...section, isFolded: false }));
}

function toSection({ name, title, keys }: { name: string; title: string; keys: string[] }, isFolded: boolean): Whole {
  return { name, title, keys: keys.filter((key) => !isInFamily(key)), families: familiesOf(keys), isFolded };
}

export function keysOf({ keys, families }: Section): string[] {
  return [...keys, ...families.flatMap(({ legend }) => legend.map(({ key }) => key))];
}
