/**
 * A table as data; LaTeX, Markdown and CSV are three ways to print it. Texts are plain Unicode and escaped by the
 * printers. Numbers are never rounded here.
 */
export type Table = {
  caption: string;
  /** Key of \label, without its prefix. */
  label: string;
  columns: Column[];
  rows: Row[];
  /** Sentences printed under the table: what is missing, what a mark means. */
  notes: string[];
  provenance: Provenance;
};

export type Column = {
  key: string;
  header: string;
  /** Unit in the header, in brackets. */
  unit?: string;
  /** Rows are ranked in columns with a direction: best bold, second underlined. */
  better: "up" | "down" | "none";
  format: NumberFormat;
};

/** How numbers of a column are shown: × 10^shift (2 for percent), then rounded to `decimals`. */
export type NumberFormat = { shift: number; decimals: number };

export type Row = {
  cells: TableCell[];
  /** Runs behind this row. */
  runIds: string[];
  /** Rows are ranked among those of their block only: results in different environments do not compete. */
  block?: string;
};

export type TableCell =
  | { kind: "text"; text: string; /** LaTeX form from a catalogue, used as it is. */ latex?: string }
  | { kind: "number"; value: number }
  /** Mean over `n` seeds; `std` is NaN where n < 2. */
  | { kind: "meanStd"; mean: number; std: number; n: number }
  | { kind: "missing" };

/** Where the numbers come from: printed as comments or columns, so that a table can be traced to its runs. */
export type Provenance = {
  sweepName: string;
  planHash?: string;
  /** Hash over query, runs, numbers and code, by which the table can be made again; only of runs that are over. */
  proof?: string;
};

/** The number by which a cell is ranked; undefined if it has none. */
export function rankValue(cell: TableCell | undefined): number | undefined {
  if (cell?.kind === "meanStd") return Number.isNaN(cell.mean) ? undefined : cell.mean;
  if (cell?.kind === "number") return Number.isNaN(cell.value) ? undefined : cell.value;
  return undefined;
}
