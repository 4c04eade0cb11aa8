import { explainEvidence, judgeEvidence } from "#server/domain/statistics/evidence.ts";
import { formatFor, methodCell, methodColumn, metricColumn, textColumn } from "../columns.ts";
import type { Column, NumberFormat, Row, Table, TableCell } from "../table.ts";
import { writeCaption, writeNotes, type Told } from "./caption.ts";
import type { Panel } from "./columns.ts";
import type { Numbers, RowNumbers } from "./compute.ts";
import { fillWording, type FullWording, type TableWording } from "./options.ts";
import { nameSweeps } from "./rows.ts";

/** Rows of configurations, columns of environments and metrics, over seeds: the table that a paper prints. */
export function buildTable(numbers: Numbers, worded: TableWording = {}): Table {
  const wording = fillWording(worded);
  const { layout, panels, rows, footnotes, averaged, tests, hasStars, constants, numCheckpoints } = numbers;
  const { input, options, baseline, headings } = layout;
  const parts = {
    settings: rows.some(({ row }) => row.setting !== ""),
    counts: wording.counts,
    average: averaged.length > 0,
    collapses: options.collapse === "column",
    headings: new Set(headings.values()).size > 1,
  };
  const told: Told = {
    sweepNames: [...nameSweeps(input.sweeps).values()],
    metricTitles: [...new Set(panels.filter(({ metricKey }) => options.metrics.includes(metricKey)).map(titleOf))],
    rows: rows.map(({ row }) => row),
    counts: new Map(rows.filter(({ count }) => count.most > 0).map(({ row, count }) => [row.key, count])),
    baseline,
    tests,
    averaged: averaged.map(({ environment }) => environment),
    hasStars,
    constants,
    numCheckpoints,
    options,
    wording,
  };
  const formats = panels.map((panel, c) => formatOf(panel, rows, { c, wording }));
  const columns: Column[] = [
    methodColumn,
    ...(parts.settings ? [textColumn("setting", "Setting")] : []),
    ...(parts.counts ? [textColumn("n", "n")] : []),
    ...panels.map((panel, c) => {
      const { key, header, metric, group } = panel;
      const column = metricColumn({ key, header, metric, format: formats[c] ?? plain });
      return group === undefined ? column : { ...column, group };
    }),
    ...averaged.slice(0, 1).map(({ metric }): Column => {
      return metricColumn({ key: "average", header: "Avg.", metric, format: formats[0] ?? plain });
    }),
    ...(parts.collapses ? [collapseColumn] : []),
  ];
  const hasEmpty = rows.length === 0 || panels.length === 0 || rows.some(({ cells }) => cells.some(isEmpty));
  return {
    caption: writeCaption(told),
    label: wording.label || ["table", ...options.metrics].join("-"),
    columns,
    rows: rows.flatMap((one) => toRows(one, numbers, { wording, parts })),
    notes: writeNotes(told, hasEmpty),
    footnotes,
    ...(wording.marks ? {} : { isUnmarked: true }),
    ...(wording.width === "page" || (wording.width === "auto" && columns.length > 8) ? { isWide: true } : {}),
    provenance: {
      sweepName: told.sweepNames.join(" and "),
      planHash: [...new Set(input.sweeps.map(({ planHash }) => planHash))].join(" "),
    },
  };
}

type Parts = { settings: boolean; counts: boolean; average: boolean; collapses: boolean; headings: boolean };

/** A row, and under it how it differs from the baseline. */
function toRows(
  { row, cells, average, change, count, collapses, runIds }: RowNumbers,
  { layout }: Numbers,
  { wording, parts }: { wording: FullWording; parts: Parts },
): Row[] {
  const { fewest, most } = count;
  const heading = parts.headings ? layout.headings.get(row) : undefined;
  const isOurs = wording.ours === row.key;
  const shared = { runIds, ...(heading === undefined ? {} : { heading }), ...(isOurs && { isOurs }) };
  const own: Row = {
    cells: [
      methodCell(row.method),
      ...(parts.settings ? [text(row.setting)] : []),
      ...(parts.counts ? [text(fewest === most ? String(most) : `${fewest}–${most}`)] : []),
      ...cells,
      ...(parts.average ? [average] : []),
      ...(parts.collapses ? [collapses] : []),
    ],
    ...shared,
    ...(judgeEvidence(fewest) === "underpowered" && {
      caveat: { word: "underpowered", sentence: explainEvidence(fewest) },
    }),
    ...(judgeEvidence(most) === "none" &&
      most > 0 && { caveat: { word: most === 1 ? "1 seed" : `${most} seeds`, sentence: explainEvidence(most) } }),
  };
  if (change === undefined || (wording.ours !== "" && !isOurs)) return [own];
  const against: Row = {
    cells: [
      text(`Δ vs ${layout.baseline?.key}`),
      ...(parts.settings ? [text("")] : []),
      ...(parts.counts ? [text("")] : []),
      ...change.cells,
      ...(parts.average ? [change.average] : []),
      ...(parts.collapses ? [text("")] : []),
    ],
    isChange: true,
    ...shared,
  };
  return [own, against];
}

const plain: NumberFormat = { shift: 0, decimals: 0 };
/** Ranked by shares, which its format must tell apart. */
const collapseColumn: Column = {
  key: "collapsed",
  header: "Coll.",
  better: "down",
  format: { shift: 0, decimals: 4 },
};

function formatOf(
  { metric }: Panel,
  rows: readonly RowNumbers[],
  { c, wording }: { c: number; wording: FullWording },
): NumberFormat {
  const means = rows.map(({ cells }) => (cells[c]?.kind === "estimate" ? cells[c].mean : NaN));
  const format = formatFor(metric, means);
  return wording.decimals === undefined ? format : { ...format, decimals: wording.decimals };
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
