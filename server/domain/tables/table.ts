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
  /** Remarks on single cells, which carry their marks. */
  footnotes?: { mark: string; text: string }[];
  /** Best and second are marked unless told otherwise. */
  isUnmarked?: boolean;
  /** In LaTeX across both columns of a page. */
  isWide?: boolean;
  provenance: Provenance;
};

export type Column = {
  key: string;
  header: string;
  /** A header over neighbouring columns of the same group. */
  group?: string;
  /** Unit in the header, in brackets. */
  unit?: string;
  /** Rows are ranked in columns with a direction: best bold, second underlined. */
  better: "up" | "down" | "none";
  format: NumberFormat;
};

/** How numbers of a column are shown: × 10^shift (2 for percent), then rounded to `decimals`. */
export type NumberFormat = {
  shift: number;
  decimals: number;
  /** p values are never shown as zero. */
  isP?: boolean;
};

export type Row = {
  cells: TableCell[];
  /** Runs behind this row. */
  runIds: string[];
  /** Rows are ranked among those of their block only: results in different environments do not compete. */
  block?: string;
  /** A heading over neighbouring rows of the same one. */
  heading?: string;
  /** Set off from the others: one's own method. */
  isOurs?: boolean;
  /** Says how the row above differs from the baseline; holds no numbers of its own. */
  isChange?: boolean;
  /** Numbers of somebody else, typed in: no run stands behind them, and they are not ranked. */
  isReference?: boolean;
  /** What its number of seeds cannot carry, in a word and in a sentence. */
  caveat?: { word: string; sentence: string };
};

export type TableCell =
  | { kind: "text"; text: string; /** LaTeX form from a catalogue, used as it is. */ latex?: string }
  | {
      kind: "number";
      value: number;
      /** A mean over some of the columns that it should be of. */
      partOf?: { n: number; of: number };
      change?: CellChange;
    }
  /** Mean over `n` seeds, printed with its 95 % t interval; `std`, by which it is proved, is NaN where n < 2. */
  | { kind: "meanStd"; mean: number; std: number; n: number }
  | ({ kind: "estimate" } & Estimate)
  /** k of n, ranked by the share. */
  | { kind: "share"; k: number; n: number }
  /** Against the baseline: percent of it, or a difference in the column's unit. */
  | ({ kind: "change" } & CellChange)
  /** `isDiverged`: it was run, and no finite number is left. */
  | { kind: "missing"; marks?: string[]; isDiverged?: boolean };

export type CellChange = { value: number; of: "percent" | "points" };

export type Estimate = {
  mean: number;
  /** NaN below two seeds. */
  std: number;
  n: number;
  /** 95 % interval of the mean; absent where too few seeds carry none. */
  interval?: { low: number; high: number };
  /** Printed beside the mean: a deviation or an error, or the ends of an interval. */
  shown:
    | { kind: "none" }
    | { kind: "plusMinus"; value: number }
    | {
        kind: "interval";
        low: number;
        high: number;
        /** Half width of a t interval that is not cut. Proofs hash it in place of the ends. */
        halfWidth?: number;
      };
  /** Against the baseline, corrected by Holm; absent where nothing was tested. */
  correctedP?: number;
  /** How far it differs, where it is better or its metric has no direction; printed only where there is one. */
  stars: "" | "*" | "**" | "***";
  /** Seeds that collapsed, where no column of its own says so. */
  numCollapsed?: number;
  /** Marks of its footnotes. */
  marks: string[];
  /** Against the baseline, printed behind it. */
  change?: CellChange;
};

/** Where the numbers come from: printed as comments or columns, so that a table can be traced to its runs. */
export type Provenance = {
  sweepName: string;
  planHash?: string;
  /** Hash over query, runs, numbers and code, by which the table can be made again; only of runs that are over. */
  proof?: string;
};

/** The number by which a cell is ranked; undefined if it has none. */
export function rankValue(cell: TableCell | undefined): number | undefined {
  if (cell?.kind === "meanStd" || cell?.kind === "estimate") return Number.isNaN(cell.mean) ? undefined : cell.mean;
  if (cell?.kind === "share") return cell.n === 0 ? undefined : cell.k / cell.n;
  // A mean over fewer columns is no rival of one over all.
  if (cell?.kind === "number") return Number.isNaN(cell.value) || cell.partOf ? undefined : cell.value;
  return undefined;
}
