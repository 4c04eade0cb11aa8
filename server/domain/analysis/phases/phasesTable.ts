import { formatCount } from "#packages/base";
import { writeInterval } from "#packages/statistics";
import {
  type BareTable,
  intervalCell,
  numberCell,
  type Row,
  shareColumn,
  textCell,
  textColumn,
} from "#packages/tables";
import { type PhaseAxis, phaseFeatures } from "./axis.ts";
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
                textCell(levelOf(study.x, cell.x)),
                textCell(levelOf(study.y, cell.y)),
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
  return String(levels[index] ?? "");
}

/** Names the settings at which the largest and the smallest share of runs collapsed, and if 95 % intervals part them. */
export function summarisePhases(study: PhaseStudy | null): string {
  const cells = study?.diagrams.flatMap(({ group, cells: own }) => own.map((cell) => ({ ...cell, group }))) ?? [];
  const numRuns = cells.reduce((sum, { runs }) => sum + runs.length, 0);
  const numCollapsed = cells.reduce((sum, cell) => sum + cell.numCollapsed, 0);
  const rateOf = (cell: (typeof cells)[number]) => cell.numCollapsed / cell.runs.length;
  const ranked = cells.toSorted((a, b) => rateOf(b) - rateOf(a) || b.runs.length - a.runs.length);
  const [worst] = ranked;
  const best = ranked.findLast((cell) => worst !== undefined && rateOf(cell) < rateOf(worst));
  if (!study || !worst) return "";
  const counted = `${numCollapsed} of ${formatCount(numRuns, "run")} collapsed`;
  if (!best) return `${counted}; no settings differ.`;
  const write = (cell: (typeof cells)[number]) =>
    `${[cell.group, `${study.x.title} ${levelOf(study.x, cell.x)}`, `${study.y.title} ${levelOf(study.y, cell.y)}`].filter(Boolean).join(", ")} (${cell.numCollapsed} of ${cell.runs.length} ${writeInterval(cell.interval, { shift: 2, decimals: 0 })} %)`;
  const isApart = worst.interval.low > best.interval.high;
  return `${counted}; most at ${write(worst)}, fewest at ${write(best)}${isApart ? "" : "; their 95 % intervals overlap"}.`;
}
