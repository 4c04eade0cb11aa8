import { formatCount, formatSetting, lowerFirst } from "#packages/base";
import { wilsonInterval, writeInterval } from "#packages/statistics";
import {
  type BareTable,
  intervalCell,
  numberCell,
  type Row,
  shareColumn,
  type TableCell,
  textCell,
  textColumn,
} from "#packages/tables";
import { type PhaseAxis, type PhaseCell, phaseFeatures } from "./axis.ts";
import type { PhaseStudy } from "./diagram.ts";
import { predictCollapse } from "./firth.ts";

/** Tabulates the collapses at each combination of two settings. `runs`: ids in the order of the study's indices. */
export function toPhasesTable(study: PhaseStudy | null, runs: readonly { id: string }[]): BareTable {
  const titles = study ? [study.x.title, study.y.title] : ["Setting", "Other setting"];
  const areSeveral = (study?.diagrams.length ?? 0) > 1;
  return {
    caption: study
      ? `Collapsed runs by ${titles.join(" and ")}, with 95 % intervals (Wilson).`
      : "Collapsed runs by two settings.",
    columns: [
      ...(areSeveral ? [textColumn("group", "Group")] : []),
      textColumn("x", titles[0] ?? ""),
      textColumn("y", titles[1] ?? ""),
      { key: "collapsed", header: "Collapsed", better: "none", format: { shift: 0, decimals: 0 } },
      shareColumn("rate", "Rate"),
      shareColumn("fitted", "Fitted"),
    ],
    rows:
      study?.diagrams.flatMap(({ group, cells, fit }) =>
        cells
          .toSorted((a, b) => a.y - b.y || a.x - b.x)
          .map((cell): Row => {
            const n = cell.runs.length;
            return {
              cells: [
                ...(areSeveral ? [textCell(group)] : []),
                levelCell(study.x, cell.x),
                levelCell(study.y, cell.y),
                { kind: "share", k: cell.numCollapsed, n },
                intervalCell(cell.numCollapsed / n, n, cell.interval),
                numberCell(fit ? predictCollapse(fit, phaseFeatures(study, cell.x, cell.y)).chance : NaN),
              ],
              runIds: cell.runs.flatMap((run) => runs[run]?.id ?? []),
              ...(areSeveral && { block: group, heading: group }),
            };
          }),
      ) ?? [],
    notes: [
      ...(study && study.numWithout > 0
        ? [`${study.numWithout} runs have no label or no value of these settings.`]
        : []),
      ...(study?.diagrams.flatMap(({ group, whyNoFit }) =>
        whyNoFit === undefined ? [] : [areSeveral ? `${group}: ${whyNoFit}` : whyNoFit],
      ) ?? []),
    ],
    isUnmarked: true,
  };
}

function levelOf({ levels }: PhaseAxis, index: number): string {
  const level = levels[index] ?? "";
  return typeof level === "number" ? formatSetting(level) : level;
}

/** Makes the cell of a level. Proofs contain the number without an exponent. */
function levelCell(axis: PhaseAxis, index: number): TableCell {
  return { kind: "text", text: levelOf(axis, index), key: String(axis.levels[index] ?? "") };
}

type Place = PhaseCell & { group: string };

const parts = ["group", "x", "y"] as const;
const overlap = "; their 95 % intervals overlap";

/**
 * Names the settings that all collapses have in common, else those with the largest and the smallest share of
 * collapses, and if 95 % intervals part them.
 */
export function summarisePhases(study: PhaseStudy | null): string {
  const places = study?.diagrams.flatMap(({ group, cells }) => cells.map((cell): Place => ({ ...cell, group }))) ?? [];
  if (!study || places.length === 0) return "";
  const { numCollapsed, numRuns } = pool(places);
  const counted = `${numCollapsed} of ${formatCount(numRuns, "run")} collapsed`;
  const rates = places.map(rateOf);
  const [lowest, highest] = [Math.min(...rates), Math.max(...rates)];
  if (lowest === highest) return `${counted}; no settings differ.`;
  const common = tellCommon(study, places);
  if (common) return `${counted}, ${numCollapsed === 1 ? "" : "all "}at ${common}.`;
  const worst = places.filter((place) => rateOf(place) === highest);
  const best = places.filter((place) => rateOf(place) === lowest);
  const isApart =
    Math.max(...worst.map(({ interval }) => interval.low)) > Math.min(...best.map(({ interval }) => interval.high));
  return `${counted}; most ${tellPlaces(study, worst)}, fewest ${tellPlaces(study, best)}${isApart ? "" : overlap}.`;
}

/** Tells the settings that all collapses have in common and some other runs have not; undefined if there are none. */
function tellCommon(study: PhaseStudy, places: readonly Place[]): string | undefined {
  const collapsed = places.filter((place) => place.numCollapsed > 0);
  const [first] = collapsed;
  const common = parts.filter(
    (part) =>
      collapsed.every((place) => place[part] === first?.[part]) &&
      places.some((place) => place[part] !== first?.[part]),
  );
  if (!first || common.length === 0) return undefined;
  const isThere = (place: Place) => common.every((part) => place[part] === first[part]);
  const [there, elsewhere] = [pool(places.filter(isThere)), pool(places.filter((place) => !isThere(place)))];
  const isApart = there.interval.low > elsewhere.interval.high;
  return `${nameSettings(study, first, common)} (${tellShare(there)}; elsewhere ${tellShare(elsewhere)}${isApart ? "" : overlap})`;
}

/** Tells places with an equal share of collapses: one by its settings, several by their number. */
function tellPlaces(study: PhaseStudy, places: readonly Place[]): string {
  const [first, ...others] = places;
  if (first && others.length === 0) return `at ${nameSettings(study, first, parts)} (${tellShare(pool(places))})`;
  const shares = new Set(places.map(({ numCollapsed, runs }) => `${numCollapsed} of ${runs.length}`));
  return `in ${places.length} combinations (${[...shares].join(" or ")} each)`;
}

function nameSettings({ x, y }: PhaseStudy, place: Place, named: readonly (typeof parts)[number][]): string {
  const texts = {
    group: place.group,
    x: `${lowerFirst(x.title)} = ${levelOf(x, place.x)}`,
    y: `${lowerFirst(y.title)} = ${levelOf(y, place.y)}`,
  };
  return named
    .map((part) => texts[part])
    .filter(Boolean)
    .join(", ");
}

function rateOf({ numCollapsed, runs }: PhaseCell): number {
  return numCollapsed / runs.length;
}

function pool(places: readonly Place[]) {
  const numRuns = places.reduce((sum, { runs }) => sum + runs.length, 0);
  const numCollapsed = places.reduce((sum, place) => sum + place.numCollapsed, 0);
  return { numCollapsed, numRuns, interval: wilsonInterval(numCollapsed, numRuns) };
}

function tellShare({ numCollapsed, numRuns, interval }: ReturnType<typeof pool>): string {
  return `${numCollapsed} of ${numRuns} ${writeInterval(interval, { shift: 2, decimals: 0 })} %`;
}
