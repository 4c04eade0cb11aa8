import { methodCell } from "#server/domain/plan/sweep/labels/methodCell.ts";
import { explainEvidence, judgeEvidence } from "#packages/statistics";
import { type Column, plainFormat, type Row, type Table, type TableCell, textCell, textColumn } from "#packages/tables";
import type { Facts } from "./caption.ts";
import { metricColumn } from "./columnParts.ts";
import type { Numbers, RowNumbers } from "./compute.ts";
import { averager } from "./average.ts";
import { fillWording, type FullWording, type TableWording, type ReferenceRow } from "./options.ts";
import type { Panel } from "./panels.ts";
import { nameSweeps, type LaidRow } from "./rows.ts";
import { taskOf } from "#server/domain/runs/headline/tasks.ts";

/** A shown column: `cell` makes its cell in a row of results, `change` in the row of differences from the baseline. */
type Shown = {
  column: Column;
  cell: (row: RowNumbers) => TableCell;
  change?: (change: Change) => TableCell;
  /** Key of the tasks that the row's number is of, none without a number; absent for columns without marks. */
  tasks?: (row: RowNumbers) => string[];
};
type Change = NonNullable<RowNumbers["change"]>;

/** Builds a results table: rows are configurations, columns are environments and metrics. */
export function buildTable(numbers: Numbers, worded: TableWording = {}): Table {
  const wording = fillWording(worded);
  const { layout, footnotes } = numbers;
  const shown = listColumns(numbers, wording);
  const columns = shown.map(({ column }) => column);
  const areSeveralTasks = shown.some(({ tasks }) => tasks && new Set(numbers.rows.flatMap(tasks)).size > 1);
  const facts = collectFacts(numbers, wording, areSeveralTasks);
  const hasHeadings = new Set(layout.headings.values()).size > 1 || wording.references.length > 0;
  return {
    caption: layout.form.caption(facts),
    label: layout.form.label(facts),
    columns,
    rows: [
      ...numbers.rows.flatMap((row) => toRows(row, { layout, wording, shown, hasHeadings })),
      ...toReferenceRows(numbers, wording, columns),
    ],
    notes: layout.form.notes(facts),
    footnotes,
    ...(wording.marks ? {} : { isUnmarked: true }),
    ...(wording.width === "page" || (wording.width === "auto" && columns.length > 8) ? { isWide: true } : {}),
    provenance: {
      sweepName: facts.sweepNames.join(" and "),
      planHash: [...new Set(layout.input.sweeps.map(({ planHash }) => planHash))].join(" "),
    },
  };
}

function listColumns({ layout, panels, rows, formats, averaged }: Numbers, wording: FullWording): Shown[] {
  const { form, options, all, baseline } = layout;
  const isDown = form.rows === "down" && all.environments.length > 1;
  const formatOf = (c: number) => {
    const format = formats[c] ?? plainFormat;
    return wording.decimals === undefined ? format : { ...format, decimals: wording.decimals };
  };
  const shown: (Shown | false)[] = [
    {
      column: textColumn("method", "Method"),
      cell: ({ row }) => methodCell(row.method),
      change: () => textCell(`Δ vs ${baseline?.key}`),
    },
    isDown && {
      column: textColumn("environment", "Environment"),
      cell: ({ row }) => textCell(row.cells[0]?.environment ?? ""),
    },
    rows.some(({ row }) => row.setting !== "") && {
      column: textColumn("setting", "Setting"),
      cell: ({ row }) => textCell(row.setting),
    },
    wording.counts && {
      column: textColumn("n", "n"),
      cell: ({ count: { fewest, most } }) => textCell(fewest === most ? String(most) : `${fewest}–${most}`),
    },
    ...panels.map((panel, c): Shown => {
      const { key, header, metric, group } = panel;
      const column = metricColumn({ key, header, metric, format: formatOf(c) });
      return {
        column: group === undefined ? column : { ...column, group },
        cell: ({ cells }) => cells[c] ?? { kind: "missing" },
        change: ({ cells }) => cells[c] ?? { kind: "missing" },
        tasks: ({ row, cells }) => (cells[c]?.kind === "missing" ? [] : [nameTasks(row, [panel])]),
      };
    }),
    ...averaged.slice(0, 1).map(({ metric }): Shown => {
      const format = formatOf(panels.findIndex((panel) => panel === averaged[0]));
      const column = metricColumn({ key: "average", header: "Avg.", metric, format });
      return {
        column,
        cell: ({ average }) => average,
        change: ({ average }) => average,
        tasks: ({ row, average }) => (average.kind === "missing" ? [] : [nameTasks(row, averaged)]),
      };
    }),
    options.collapse === "column" && {
      column: collapseColumn,
      cell: ({ collapses }) => collapses,
      tasks: ({ row, collapses }) => (collapses.kind === "missing" ? [] : [nameTasks(row, everywhere)]),
    },
  ];
  return shown.filter((one) => one !== false);
}

/** Collapses of a row are counted in all its environments, by success. */
const everywhere = [{ environment: undefined, metricKey: "evaluation/successRate" }];

/** Returns a key that is equal for rows whose values are of the same tasks: no best value spans several tasks. */
function nameTasks({ cells, runs }: LaidRow, panels: readonly Pick<Panel, "environment" | "metricKey">[]): string {
  const keys = panels.flatMap(({ environment, metricKey }) =>
    cells
      .filter((cell) => environment === undefined || (cell.environment === environment && runs.has(environment)))
      .map((cell) => `${cell.environment} ${taskOf(cell.spec, metricKey)}`),
  );
  return [...new Set(keys)].toSorted().join("\n");
}

/** The format must distinguish the collapse rates that rank the column. */
const collapseColumn: Column = {
  key: "collapsed",
  header: "Coll.",
  better: "down",
  format: { shift: 0, decimals: 4 },
};

type Rows = Pick<Numbers, "layout"> & { wording: FullWording; shown: readonly Shown[]; hasHeadings: boolean };

/** Makes a row of results; differences from the baseline, if requested, are a second row or within the cells. */
function toRows(numbers: RowNumbers, { layout, wording, shown, hasHeadings }: Rows): Row[] {
  const { row, change, count, runIds } = numbers;
  const heading = hasHeadings ? layout.headings.get(row) : undefined;
  const isOurs = wording.ours === row.key;
  const shared = { runIds, ...(heading === undefined ? {} : { heading }), ...(isOurs && { isOurs }) };
  const main: Row = {
    cells: shown.map(({ cell }) => cell(numbers)),
    ...shared,
    tasks: shown.map(({ tasks }) => tasks?.(numbers)[0] ?? ""),
    ...(layout.form.hasCaveats && caveatOf(count)),
  };
  if (change === undefined || (wording.ours !== "" && !isOurs)) return [main];
  const cells = shown.map((column) => column.change?.(change) ?? textCell(""));
  if (wording.changeIn === "cell") return [{ ...main, cells: main.cells.map((cell, c) => withChange(cell, cells[c])) }];
  return [main, { cells, isChange: true, ...shared }];
}

function withChange(cell: TableCell, change: TableCell | undefined): TableCell {
  if (change?.kind !== "change" || (cell.kind !== "estimate" && cell.kind !== "number")) return cell;
  return { ...cell, change: { value: change.value, of: change.of } };
}

function caveatOf({ fewest, most }: RowNumbers["count"]): Pick<Row, "caveat"> {
  if (judgeEvidence(most) === "none" && most > 0) {
    return { caveat: { word: most === 1 ? "1 seed" : `${most} seeds`, sentence: explainEvidence(most) } };
  }
  if (judgeEvidence(fewest) !== "underpowered") return {};
  return { caveat: { word: "underpowered", sentence: explainEvidence(fewest) } };
}

function collectFacts(numbers: Numbers, wording: FullWording, areSeveralTasks: boolean): Facts {
  const { layout, rows, averaged, tests, hasStars, constants, numCheckpoints } = numbers;
  const { input, options, baseline } = layout;
  const cells = rows.flatMap((row) => row.cells);
  return {
    sweepNames: [...nameSweeps(input.sweeps).values()],
    rows: rows.map(({ row }) => row),
    runs: layout.runs,
    counts: new Map(rows.filter(({ count }) => count.most > 0).map(({ row, count }) => [row.key, count])),
    baseline,
    tests,
    averaged: averaged.flatMap(({ environment, group, header }) =>
      options.columns.length > 0 ? `${group} ${header}` : (environment ?? []),
    ),
    hasStars,
    hasEmpty: cells.length === 0 || cells.some(({ kind }) => kind === "missing"),
    constants,
    numCheckpoints,
    areSeveralTasks,
    options,
    wording,
  };
}

/** Makes the rows entered by hand, under their sources. */
function toReferenceRows(numbers: Numbers, wording: FullWording, columns: readonly Column[]): Row[] {
  const { panels, formats, averaged, layout } = numbers;
  return wording.references.map((reference): Row => {
    const cells = panels.map((_, c) => toCell(reference.values[c], formats[c]?.shift ?? 0));
    const cellOf = new Map<string, TableCell>([
      ["method", methodCell(reference.method)],
      ["average", averager(panels, averaged, layout.options.averageOf)(cells)],
      ...panels.map(({ key }, c): [string, TableCell] => [key, cells[c] ?? { kind: "missing" }]),
    ]);
    return {
      cells: columns.map(({ key }) => cellOf.get(key) ?? textCell("")),
      runIds: [],
      heading: `${reference.source} (typed in, not run here)`,
      isReference: true,
    };
  });
}

/** Converts an entered number to a cell. Authors enter values as displayed: 62.36 in a percent column means .6236. */
function toCell(value: ReferenceRow["values"][number] | undefined, shift: number): TableCell {
  return value === null || value === undefined ? { kind: "missing" } : { kind: "number", value: value / 10 ** shift };
}
