import { intervalCell, numberCell, type Row, shareColumn, type Table, textCell, textColumn } from "#packages/tables";
import { type PhaseAxis, phaseFeatures } from "./axis.ts";
import type { PhaseStudy } from "./diagram.ts";
import { predictCollapse } from "./firth.ts";

/** Tabulates the collapses at each combination of two settings. `runs`: ids in the order of the study's indices. */
export function toPhasesTable(study: PhaseStudy | null, runs: readonly { id: string }[]): Table {
  const titles = study ? [study.x.title, study.y.title] : ["Setting", "Other setting"];
  const areSeveral = (study?.diagrams.length ?? 0) > 1;
  return {
    caption: study
      ? `Collapsed runs by ${titles.join(" and ")}, with 95 % intervals (Wilson).`
      : "Collapsed runs by two settings.",
    label: "phases",
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
    provenance: { sweepName: "" },
  };
}

function levelOf({ levels }: PhaseAxis, index: number): string {
  return String(levels[index] ?? "");
}
