import { familiesOf, isInFamily, type Family } from "#app/_charts/families.ts";
import { findMetrics, groupMetrics } from "#app/_charts/groupMetrics.ts";

/** A stretch of the run page: charts of single metrics, and charts of families with a line per member. */
export type Section = {
  name: string;
  title: string;
  keys: string[];
  families: Family[];
  /** Closed until asked for: its charts are neither read nor drawn. */
  isFolded: boolean;
  /** Metrics that are not among `keys` until the reader asks for more. */
  numMore: number;
};

/** What tells at a glance whether a run is healthy: does it learn, how far does it drift, how hard does it push. */
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
const diagnoses = ["strata", "turns"];

/** Charts that a section shows, and how many each "more" adds. */
export const chartsAtOnce = 24;
/** Sections open by themselves until they have so many charts together. */
const mostOpenCharts = 96;

/**
 * A run's metrics as sections; with a search, those that match and nothing folded. However many metrics a trainer logs,
 * the page asks for a bounded number of charts.
 * @param opened sections that the reader opened, and how often more of them was asked for
 */
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
    return { ...shown, isFolded: numOpen > mostOpenCharts };
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
  // A run that logs none of the usual metrics has nothing to fold behind.
  return first.length > 0 ? sections : sections.map((section) => ({ ...section, isFolded: false }));
}

function toSection({ name, title, keys }: { name: string; title: string; keys: string[] }, isFolded: boolean): Whole {
  return { name, title, keys: keys.filter((key) => !isInFamily(key)), families: familiesOf(keys), isFolded };
}

/** Every metric that a section needs. */
export function keysOf({ keys, families }: Section): string[] {
  return [...keys, ...families.flatMap(({ legend }) => legend.map(({ key }) => key))];
}
