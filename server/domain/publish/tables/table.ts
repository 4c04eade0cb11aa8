import type { NumberFormat } from "#packages/base";
/**
 * A table as data, which printers format as LaTeX, Markdown or CSV. Texts are plain Unicode, which the printers escape.
 * Numbers are unrounded.
 */
export type Table = {
  caption: string;
  /** Key of LaTeX's \label, without its prefix. */
  label: string;
  columns: Column[];
  rows: Row[];
  /** Sentences printed below the table: missing values, meaning of marks. */
  notes: string[];
  /** Footnotes that cells refer to, by mark. */
  footnotes?: { mark: string; text: string }[];
  /** True if best and second are not marked. */
  isUnmarked?: boolean;
  /** True if the table spans both columns of a page in LaTeX. */
  isWide?: boolean;
  provenance: Provenance;
};

export type Column = {
  key: string;
  header: string;
  /** Header that adjacent columns share. */
  group?: string;
  /** Unit shown in the header, in brackets. */
  unit?: string;
  /** Direction of ranking; the best is bold, the second underlined. */
  better: "up" | "down" | "none";
  format: NumberFormat;
};

export type Row = {
  cells: TableCell[];
  /** Ids of the runs behind this row. */
  runIds: string[];
  /** Block within which rows are ranked: results in different environments are not comparable. */
  block?: string;
  /** Heading that adjacent rows share. */
  heading?: string;
  /** True for a row that is highlighted as the author's own method. */
  isOurs?: boolean;
  /** True for a row with the changes of the row above against the baseline; it has no other numbers. */
  isChange?: boolean;
  /** True for typed, published numbers: they have no runs and are not ranked. */
  isReference?: boolean;
  /** Caveat due to the number of seeds, as a word and as a sentence. */
  caveat?: { word: string; sentence: string };
};

export type TableCell =
  | { kind: "text"; text: string; /** LaTeX form from the list of methods, inserted unescaped. */ latex?: string }
  | {
      kind: "number";
      value: number;
      /** Set if the mean covers only some of the averaged columns. */
      partOf?: { n: number; of: number };
      change?: CellChange;
    }
  /** Mean over `n` seeds, printed with its 95 % t interval; `std`, which is part of the proof, is NaN for n < 2. */
  | { kind: "meanStd"; mean: number; std: number; n: number }
  | ({ kind: "estimate" } & Estimate)
  /** k of n, ranked by k/n. */
  | { kind: "share"; k: number; n: number }
  /** Change against the baseline: in percent of it, or as a difference in the column's unit. */
  | ({ kind: "change" } & CellChange)
  /** `isDiverged`: the cell was run, but has no finite number. */
  | { kind: "missing"; marks?: string[]; isDiverged?: boolean };

export type CellChange = { value: number; of: "percent" | "points" };

export type Estimate = {
  mean: number;
  /** Standard deviation; NaN below two seeds. */
  std: number;
  n: number;
  /** 95 % interval of the mean; absent with too few seeds. */
  interval?: { low: number; high: number };
  /** Text printed beside the mean: a deviation, an error, or the bounds of an interval. */
  shown:
    | { kind: "none" }
    | { kind: "plusMinus"; value: number }
    | {
        kind: "interval";
        low: number;
        high: number;
        /** Half-width of the t interval before it is clipped. Proofs hash it in place of the bounds. */
        halfWidth?: number;
      };
  /** p-value against the baseline, with Holm's correction; absent without a test. */
  correctedP?: number;
  /** Significance, if the value is better or its metric has no direction; printed only with a direction. */
  stars: "" | "*" | "**" | "***";
  /** Number of collapsed seeds, unless a separate column shows it. */
  numCollapsed?: number;
  /** Marks of the cell's footnotes. */
  marks: string[];
  /** Change against the baseline, printed after the number. */
  change?: CellChange;
};

/** Origin of the numbers, printed as comments or columns, by which a table can be traced to its runs. */
export type Provenance = {
  sweepName: string;
  planHash?: string;
  /** Hash over query, runs, numbers and code, by which the table can be verified; present only if all runs are over. */
  proof?: string;
};

/** Value by which a cell is ranked; undefined if it is not. */
export function rankValue(cell: TableCell | undefined): number | undefined {
  if (cell?.kind === "meanStd" || cell?.kind === "estimate") return Number.isNaN(cell.mean) ? undefined : cell.mean;
  if (cell?.kind === "share") return cell.n === 0 ? undefined : cell.k / cell.n;
  // A mean over fewer columns is not ranked against one over all columns.
  if (cell?.kind === "number") return Number.isNaN(cell.value) || cell.partOf ? undefined : cell.value;
  return undefined;
}
