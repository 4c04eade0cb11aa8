import { explainEvidence, judgeEvidence } from "../../statistics/evidence.ts";
import { mean } from "../../statistics/summary.ts";
import { formatFor, methodCell, methodColumn, metricColumn, textColumn } from "../columns.ts";
import type { Column, NumberFormat, Row, Table, TableCell } from "../table.ts";
import { writeCaption, writeNotes, type Told } from "./caption.ts";
import { changeTo } from "./change.ts";
import { listPanels, type Panel } from "./columns.ts";
import { countCheckpoints, countSeeds } from "./counts.ts";
import { fillPanel } from "./fillPanel.ts";
import { makeMarks } from "./footnotes.ts";
import { headingOf } from "./headings.ts";
import type { BuilderInput, BuilderRun } from "./input.ts";
import { fillOptions, fillWording, type TableOptions, type TableWording } from "./options.ts";
import { findBaseline, sortRows } from "./order.ts";
import { layRows, nameSweeps, type LaidRow } from "./rows.ts";

/** Rows of configurations, columns of environments and metrics, over seeds: the table that a paper prints. */
export function buildTable(input: BuilderInput, given: TableOptions, worded: TableWording = {}): Table {
  const options = fillOptions(given);
  const wording = fillWording(worded);
  const laid = layRows(input);
  const environments = laid.environments.filter((name) => !options.withoutEnvironments.includes(name));
  const rows = sortRows(laid.rows, input, options);
  const baseline = findBaseline(rows, options.baseline);
  const panels = listPanels(rows, environments, options);
  const footnotes = makeMarks();
  const columns = panels.map((panel) => fillPanel(panel, rows, { options, baseline, markOf: footnotes.markOf }));
  const hasSettings = rows.some(({ setting }) => setting !== "");
  const averaged = options.average && environments.length > 1 ? panels.filter(({ isMain }) => isMain) : [];
  const headings = new Set(rows.map((row) => headingOf(row, options.group, input)?.text));
  const counts = new Map(rows.map((row) => [row.key, countSeeds(row, panels, options)]));
  const numCells = columns.flatMap(({ cells }) => cells).length;
  const told: Told = {
    sweepNames: [...nameSweeps(input.sweeps).values()],
    metricTitles: [...new Set(panels.filter(({ metricKey }) => options.metrics.includes(metricKey)).map(titleOf))],
    rows,
    counts: new Map([...counts].filter(([, { most }]) => most > 0)),
    baseline,
    tests: new Set(columns.flatMap(({ test }) => test ?? [])),
    averaged: averaged.map(({ environment }) => environment),
    hasStars: columns.some(({ cells }) => cells.some((cell) => cell.kind === "estimate" && cell.stars !== "")),
    numCheckpoints: countCheckpoints(rows, panels),
    options,
    wording,
  };
  const formats = panels.map((_, i) => formatOf(i));
  const model: Column[] = [
    methodColumn,
    ...(hasSettings ? [textColumn("setting", "Setting")] : []),
    ...(wording.counts ? [textColumn("n", "n")] : []),
    ...panels.map((panel, i) => {
      const { key, header, metric, group } = panel;
      const column = metricColumn({ key, header, metric, format: formats[i] ?? plain });
      return group === undefined ? column : { ...column, group };
    }),
    ...averaged.slice(0, 1).map(({ metric }): Column => {
      return metricColumn({ key: "average", header: "Avg.", metric, format: formats[0] ?? plain });
    }),
    ...(options.collapse === "column" ? [collapseColumn] : []),
  ];
  return {
    caption: writeCaption(told),
    label: wording.label || ["table", ...options.metrics].join("-"),
    columns: model,
    rows: rows.flatMap((row, r) => toRows(row, r)),
    notes: writeNotes(told, numCells === 0 || columns.some(({ cells }) => cells.some(isEmpty))),
    footnotes: footnotes.list(),
    ...(wording.marks ? {} : { isUnmarked: true }),
    ...(wording.width === "page" || (wording.width === "auto" && model.length > 8) ? { isWide: true } : {}),
    provenance: {
      sweepName: told.sweepNames.join(" and "),
      planHash: [...new Set(input.sweeps.map(({ planHash }) => planHash))].join(" "),
    },
  };

  function formatOf(index: number): NumberFormat {
    const panel = panels[index];
    const means = (columns[index]?.cells ?? []).map((cell) => (cell.kind === "estimate" ? cell.mean : NaN));
    const format = panel ? formatFor(panel.metric, means) : plain;
    return wording.decimals === undefined ? format : { ...format, decimals: wording.decimals };
  }

  function toRows(row: LaidRow, r: number): Row[] {
    const heading = headings.size > 1 ? headingOf(row, options.group, input)?.text : undefined;
    const { fewest = 0, most = 0 } = counts.get(row.key) ?? {};
    const cells = columns.map((column): TableCell => column.cells[r] ?? { kind: "missing" });
    const isOurs = wording.ours === row.key;
    const shared = { ...(heading === undefined ? {} : { heading }), ...(isOurs && { isOurs }) };
    const own: Row = {
      cells: [
        methodCell(row.method),
        ...(hasSettings ? [text(row.setting)] : []),
        ...(wording.counts ? [text(fewest === most ? String(most) : `${fewest}–${most}`)] : []),
        ...cells,
        ...(averaged.length > 0 ? [average(cells)] : []),
        ...(options.collapse === "column" ? [countCollapses(allRuns(row, environments))] : []),
      ],
      runIds: allRuns(row, environments).map(({ runId }) => runId),
      ...shared,
      ...(judgeEvidence(fewest) === "underpowered" && {
        caveat: { word: "underpowered", sentence: explainEvidence(fewest) },
      }),
      ...(judgeEvidence(most) === "none" &&
        most > 0 && { caveat: { word: most === 1 ? "1 seed" : `${most} seeds`, sentence: explainEvidence(most) } }),
    };
    const isChanged = wording.ours === "" ? row !== baseline : isOurs && row !== baseline;
    if (options.change === "none" || !baseline || !isChanged) return [own];
    const b = rows.indexOf(baseline);
    const against = columns.map((column, c) => changeTo(cells[c], column.cells[b], options.change));
    const averages =
      averaged.length === 0
        ? []
        : [
            changeTo(
              average(cells),
              average(columns.map((column) => column.cells[b] ?? { kind: "missing" })),
              options.change,
            ),
          ];
    const change: Row = {
      cells: [
        text(`Δ vs ${baseline.key}`),
        ...(hasSettings ? [text("")] : []),
        ...(wording.counts ? [text("")] : []),
        ...against,
        ...averages,
        ...(options.collapse === "column" ? [text("")] : []),
      ],
      runIds: own.runIds,
      isChange: true,
      ...shared,
    };
    return [own, change];
  }

  function average(cells: readonly TableCell[]): TableCell {
    const means = averaged.map((panel) => {
      const cell = cells[panels.indexOf(panel)];
      return cell?.kind === "estimate" ? cell.mean : NaN;
    });
    return means.every((x) => Number.isFinite(x)) ? { kind: "number", value: mean(means) } : { kind: "missing" };
  }
}

const plain: NumberFormat = { shift: 0, decimals: 0 };
/** Ranked by shares, which its format must tell apart. */
const collapseColumn: Column = {
  key: "collapsed",
  header: "Coll.",
  better: "down",
  format: { shift: 0, decimals: 4 },
};

function countCollapses(runs: readonly BuilderRun[]): TableCell {
  const judged = runs.flatMap(({ collapse }) => collapse ?? []);
  if (judged.length === 0) return { kind: "missing" };
  return { kind: "share", k: judged.filter(({ hasCollapsed }) => hasCollapsed).length, n: judged.length };
}

function allRuns(row: LaidRow, environments: readonly string[]): BuilderRun[] {
  return environments.flatMap((environment) => row.runs.get(environment) ?? []);
}

function titleOf({ metric: { title, unit } }: Panel): string {
  return unit === "fraction" ? `${title} (%)` : unit === "" ? title : `${title} (${unit})`;
}

function isEmpty(cell: TableCell): boolean {
  return cell.kind === "missing";
}

function text(value: string): TableCell {
  return { kind: "text", text: value };
}
