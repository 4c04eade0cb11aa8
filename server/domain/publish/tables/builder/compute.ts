import type { Interval, ColumnTest } from "#packages/statistics";
import type { NumberFormat } from "#packages/base";
import { rankValue, type TableCell } from "../table.ts";
import { averager, findAveraged } from "./average.ts";
import { formatFor } from "./columnParts.ts";
import { changeTo } from "./change.ts";
import { countCheckpoints, countSeeds } from "./counts.ts";
import { fillPanel, samplePanel } from "./fillPanel.ts";
import { makeMarks } from "./footnotes.ts";
import type { BuilderRun } from "./input.ts";
import { bootstrapIntervals } from "./intervals.ts";
import type { Layout } from "./layout.ts";
import type { Panel } from "./panels.ts";
import type { LaidRow } from "./rows.ts";

/** Numbers of a table; its wording does not affect them. */
export type Numbers = {
  layout: Layout;
  panels: Panel[];
  rows: RowNumbers[];
  /** Number format of each panel. */
  formats: NumberFormat[];
  footnotes: { mark: string; text: string }[];
  /** Panels of the average; empty if none is shown. */
  averaged: Panel[];
  /** Tests and stars of the columns with a direction: only those can be better. */
  tests: ReadonlySet<ColumnTest>;
  hasStars: boolean;
  /** Cells with identical values for all seeds, in columns with comparisons: "GRPO in ALFWorld". */
  constants: string[];
  numCheckpoints: number;
};

export type RowNumbers = {
  row: LaidRow;
  /** Cells by panel, and the average. */
  cells: TableCell[];
  average: TableCell;
  /** Differences from the baseline; undefined if not requested, and for the baseline itself. */
  change: { cells: TableCell[]; average: TableCell } | undefined;
  /** Seeds with a value, over the row's environments. */
  count: { fewest: number; most: number };
  collapses: TableCell;
  runIds: string[];
};

/** Computes all numbers of a table once. */
export function computeTable(layout: Layout): Numbers {
  const { rows, environments, options, form, baseline } = layout;
  const panels = form.listPanels(rows, environments, options);
  const sampled = panels.map((panel) => samplePanel(panel, rows));
  const mainOf = new Map(sampled.filter(({ panel }) => panel.isMain).map((one) => [one.panel.environment, one]));
  const samples = options.interval === "bootstrap" ? sampled.flatMap((one) => one.samples) : [];
  const intervals: ReadonlyMap<readonly number[], Interval> = bootstrapIntervals(samples);
  const { markOf, list } = makeMarks();
  const columns = sampled.map((one) => {
    const main = mainOf.get(one.panel.environment);
    return fillPanel(one, { rows, options, baseline, main, intervals, markOf });
  });
  const directed = columns.filter((_, c) => panels[c]?.metric.better !== "none");
  const averaged = findAveraged(panels, options);
  const cellsOf = (r: number) => columns.map(({ cells }): TableCell => cells[r] ?? { kind: "missing" });
  const averageIn = averager(panels, averaged, options.averageOf);
  const base = baseline && options.change !== "none" ? cellsOf(rows.indexOf(baseline)) : undefined;
  return {
    layout,
    panels,
    rows: rows.map((row, r) => {
      const cells = cellsOf(r);
      const average = averageIn(cells);
      const runs =
        form.rows === "joined"
          ? environments.flatMap((environment) => row.runs.get(environment) ?? [])
          : row.cells.flatMap((cell) => cell.runs);
      return {
        row,
        cells,
        average,
        change:
          base === undefined || row === baseline
            ? undefined
            : {
                cells: cells.map((cell, c) => changeTo(cell, base[c], options.change)),
                average: changeTo(average, averageIn(base), options.change),
              },
        count: countSeeds(row, panels),
        collapses: countCollapses(runs),
        runIds: runs.map(({ runId }) => runId),
      };
    }),
    formats: sampled.map(({ panel, samples }, c) => {
      const cells = columns[c]?.cells.map((cell) => rankValue(cell) ?? NaN) ?? [];
      const main = mainOf.get(panel.environment)?.samples.flat() ?? [];
      return panel.format?.({ cells, runs: samples.flat(), main }) ?? formatFor(panel.metric, cells);
    }),
    footnotes: list(),
    averaged,
    tests: new Set(directed.flatMap(({ test }) => test ?? [])),
    hasStars: directed.some(({ cells }) => cells.some((cell) => cell.kind === "estimate" && cell.stars !== "")),
    constants: columns.flatMap(({ constant }, c) => constant.map(({ key }) => `${key} in ${sayColumn(panels[c])}`)),
    numCheckpoints: countCheckpoints(rows, panels),
  };
}

function countCollapses(runs: readonly BuilderRun[]): TableCell {
  const judged = runs.flatMap(({ collapse }) => collapse ?? []);
  if (judged.length === 0) return { kind: "missing" };
  return { kind: "share", k: judged.filter(({ hasCollapsed }) => hasCollapsed).length, n: judged.length };
}

function sayColumn({ header = "", environment }: Partial<Panel> = {}): string {
  return header === environment ? header : `${header}, ${environment}`;
}
