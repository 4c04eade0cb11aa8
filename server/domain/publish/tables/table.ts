import type { NumberFormat } from "#packages/base";
/**
 * A table as data, printed as LaTeX, Markdown or CSV. Texts are plain Unicode, escaped by the printers. Numbers are
 * never rounded here.
 */
export type Table = {
  caption: string;
  /** Key of \label, without its prefix. */
  label: string;
  columns: Column[];
  rows: Row[];
  /** Sentences printed under the table: missing values, meaning of marks. */
  notes: string[];
  /** Footnotes of cells, by mark. */
  footnotes?: { mark: string; text: string }[];
  /** Disables the marks of best and second. */
  isUnmarked?: boolean;
  /** Spans both columns of a page in LaTeX. */
  isWide?: boolean;
  provenance: Provenance;
};

export type Column = {
  key: string;
  header: string;
  /** Common header of adjacent columns. */
  group?: string;
  /** Unit in the header, in brackets. */
  unit?: string;
  /** Direction of ranking: best bold, second underlined. */
  better: "up" | "down" | "none";
  format: NumberFormat;
};

export type Row = {
  cells: TableCell[];
  /** Runs behind this row. */
  runIds: string[];
  /** Rows are ranked only within their block: results in different environments are not comparable. */
  block?: string;
  /** Common heading of adjacent rows. */
  heading?: string;
  /** Highlighted as one's own method. */
  isOurs?: boolean;
  /** True for a row with the changes of the row above against the baseline; it has no numbers of its own. */
  isChange?: boolean;
  /** True for typed, published numbers: without runs, and not ranked. */
  isReference?: boolean;
  /** Limitation due to its number of seeds, as a word and as a sentence. */
  caveat?: { word: string; sentence: string };
};

export type TableCell =
  | { kind: "text"; text: string; /** LaTeX form from a catalogue, inserted unescaped. */ latex?: string }
  | {
      kind: "number";
      value: number;
      /** Set if the mean covers only some of its columns. */
      partOf?: { n: number; of: number };
      change?: CellChange;
    }
  /** Mean over `n` seeds, printed with its 95 % t interval; `std`, which is part of the proof, is NaN for n < 2. */
  | { kind: "meanStd"; mean: number; std: number; n: number }
  | ({ kind: "estimate" } & Estimate)
  /** k of n, ranked by the fraction. */
  | { kind: "share"; k: number; n: number }
  /** Change against the baseline: in percent of it, or as a difference in the column's unit. */
  | ({ kind: "change" } & CellChange)
  /** `isDiverged`: it was run, but no finite number is left. */
  | { kind: "missing"; marks?: string[]; isDiverged?: boolean };

export type CellChange = { value: number; of: "percent" | "points" };

export type Estimate = {
  mean: number;
  /** NaN below two seeds. */
  std: number;
  n: number;
  /** 95 % interval of the mean; absent with too few seeds. */
  interval?: { low: number; high: number };
  /** Printed beside the mean: a deviation or an error, or the ends of an interval. */
  shown:
    | { kind: "none" }
    | { kind: "plusMinus"; value: number }
    | {
        kind: "interval";
        low: number;
        high: number;
        /** Half-width of an unclipped t interval. Proofs hash it in place of the ends. */
        halfWidth?: number;
      };
  /** p-value against the baseline with Holm's correction; absent without a test. */
  correctedP?: number;
  /** Significance if it is better or its metric has no direction; printed only with a direction. */
  stars: "" | "*" | "**" | "***";
  /** Number of collapsed seeds, if no separate column shows it. */
  numCollapsed?: number;
  /** Marks of its footnotes. */
  marks: string[];
  /** Change against the baseline, printed behind it. */
  change?: CellChange;
};

/** Origin of the numbers, printed as comments or columns, so that a table can be traced to its runs. */
export type Provenance = {
  sweepName: string;
  planHash?: string;
  /** Hash over query, runs, numbers and code, by which the table can be verified; only if all runs are over. */
  proof?: string;
};

/** Ranking value of a cell; undefined if it has none. */
export function rankValue(cell: TableCell | undefined): number | undefined {
  if (cell?.kind === "meanStd" || cell?.kind === "estimate") return Number.isNaN(cell.mean) ? undefined : cell.mean;
  if (cell?.kind === "share") return cell.n === 0 ? undefined : cell.k / cell.n;
  // A mean over fewer columns is not ranked against one over all.
  if (cell?.kind === "number") return Number.isNaN(cell.value) || cell.partOf ? undefined : cell.value;
  return undefined;
}
