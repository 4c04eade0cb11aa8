import { hazardTerms, samplerCells, type HazardGroup, type SampledRun } from "./hazards.ts";
import { collapseSentence } from "#packages/detector";
import { textCell, textColumn } from "../tables/builder/columnParts.ts";
import { toCsvText, type CsvValue } from "../tables/csv.ts";
import type { Provenance, Row, Table } from "../tables/table.ts";
import { intervalCell, numberColumn, pColumn } from "./shareCells.ts";

const columns = [
  textColumn("term", "Term"),
  numberColumn("logHazard", "Log-hazard ratio", 2),
  numberColumn("hazard", "Hazard ratio", 2),
  pColumn("p", "p"),
];

const sentence =
  "Cox regression, ties by Efron, Firth's penalty: estimates are finite where a cell has no collapse, and their intervals say how little is known then. Intervals and p by profile of the penalised likelihood. " +
  "Staleness: the sampler lags; precision: it is rounded; their product is 0 where both add up on the log-hazard. Each method and setting has a baseline hazard of its own and takes part where all four cells have runs. That runs of one seed share their tasks is not counted.";

/** Table of the effects of the sampler's staleness and precision on the hazard of collapse. */
export function toHazardsTable(groups: readonly HazardGroup[], provenance: Provenance): Table {
  return {
    caption: "Hazard of collapse by staleness and precision of the sampler; 95 % intervals",
    label: "hazards",
    columns,
    rows: groups.flatMap(toRows),
    notes: [sentence, collapseSentence],
    isUnmarked: true,
    isWide: true,
    provenance,
  };
}

function toRows({ title, runIds, cells, terms }: HazardGroup): Row[] {
  const counts = samplerCells.map(({ title }, i) => `${title} ${cells[i]?.numCollapsed}/${cells[i]?.numRuns}`);
  return hazardTerms.map((term, i) => {
    const { coefficient, interval, p } = terms?.[i] ?? unknown;
    const ratio = { low: Math.exp(interval.low), high: Math.exp(interval.high) };
    return {
      heading: `${title}. Collapsed: ${counts.join(", ")}`,
      runIds: [...runIds],
      cells: [
        textCell(term),
        intervalCell(coefficient, runIds.length, interval),
        intervalCell(Math.exp(coefficient), runIds.length, ratio),
        Number.isFinite(p) ? { kind: "number", value: p } : { kind: "missing" },
      ],
    };
  });
}

const unknown = { coefficient: NaN, interval: { low: NaN, high: NaN }, p: NaN };

/** One row per run. */
export function toHazardsCsv(runs: readonly SampledRun[]): string {
  const lines = runs.map(({ runId, method, setting, seed, isStale, isRounded, duration }): CsvValue[] => [
    runId,
    method,
    setting,
    seed,
    String(isStale),
    String(isRounded),
    duration.time,
    String(duration.isEvent),
  ]);
  return toCsvText([["run", "method", "setting", "seed", "stale", "rounded", "time", "collapsed"], ...lines]);
}
