import type { NumberFormat } from "#packages/base";
/** A table as data, which `formats.ts` prints. Texts are plain Unicode, which each format escapes. */
export type Table = {
  caption: string;
  /** Key in LaTeX's \label, without the prefix `tab:`. */
  label: string;
  columns: Column[];
  rows: Row[];
  /** Sentences printed below the table, for example on missing values and the meaning of marks. */
  notes: string[];
  /** Footnotes to which cells refer by their mark. */
  footnotes?: { mark: string; text: string }[];
  /** True if the best and second values are not marked. */
  isUnmarked?: boolean;
  /** True if the LaTeX table spans both columns of a page. */
  isWide?: boolean;
  provenance: Provenance;
};

export type Column = {
  key: string;
  header: string;
  /** Header that the column shares with adjacent columns. */
  group?: string;
  /** Unit of the column's values, shown in brackets in the header. */
  unit?: string;
  /** Direction in which values are better. The best value is bold, the second underlined. */
  better: "up" | "down" | "none";
  format: NumberFormat;
};

export type Row = {
  cells: TableCell[];
  /** Ids of the runs behind the row's numbers. */
  runIds: string[];
  /** Block within which the row is ranked: results in different environments are not comparable. */
  block?: string;
  /** Heading that the row shares with adjacent rows. */
  heading?: string;
  /** True for a row that is highlighted as the author's own method. */
  isOurs?: boolean;
  /** True for a row that contains only the changes of the row above from the baseline. */
  isChange?: boolean;
  /** True for published numbers that the author entered: they have no runs and are not ranked. */
  isReference?: boolean;
  /** Caveat due to the row's number of seeds, as a word and as a sentence. */
  caveat?: { word: string; sentence: string };
};

export type TableCell =
  | { kind: "text"; text: string; /** LaTeX form of a method's name, inserted unescaped. */ latex?: string }
  | {
      kind: "number";
      value: number;
      /** Numbers of averaged columns with a value (`n`) and in total (`of`); absent if no value is missing. */
      partOf?: { n: number; of: number };
      change?: CellChange;
    }
  /**
   * Mean over `n` seeds, printed with its 95 % t interval. `std` is the standard deviation over seeds, which the
   * proof contains; NaN for n < 2.
   */
  | { kind: "meanStd"; mean: number; std: number; n: number }
  | ({ kind: "estimate" } & Estimate)
  /** Fraction of runs to which something happened: number k of n runs, ranked by k/n. */
  | { kind: "share"; k: number; n: number }
  /** Change from the baseline: in percent of it, or as a difference in the column's unit. */
  | ({ kind: "change" } & CellChange)
  /** Cell without a number. `isDiverged`: runs exist, but they have no finite number. */
  | { kind: "missing"; marks?: string[]; isDiverged?: boolean };

export type CellChange = { value: number; of: "percent" | "points" };

export type Estimate = {
  mean: number;
  /** Standard deviation over seeds; NaN with fewer than two seeds. */
  std: number;
  n: number;
  /** 95 % interval of the mean; absent with too few seeds. */
  interval?: { low: number; high: number };
  /** Spread printed beside the mean: a standard deviation, a standard error, or the bounds of an interval. */
  shown:
    | { kind: "none" }
    | { kind: "plusMinus"; value: number }
    | {
        kind: "interval";
        low: number;
        high: number;
        /** Half-width of the t interval before clipping. Proofs hash it in place of the bounds. */
        halfWidth?: number;
      };
  /** p-value of the comparison with the baseline, with Holm's correction; absent without a test. */
  correctedP?: number;
  /**
   * Significance stars of a value that is better than the baseline's. Where a metric has no better direction, any
   * significant difference has stars, but they are not printed.
   */
  stars: "" | "*" | "**" | "***";
  /** Number of collapsed seeds; absent if a separate column shows it. */
  numCollapsed?: number;
  marks: string[];
  /** Change from the baseline, printed after the number. */
  change?: CellChange;
};

/** Origin of the numbers, printed as comments or columns, with which a table can be traced to its runs. */
export type Provenance = {
  sweepName: string;
  planHash?: string;
  /** Hash of query, runs, numbers and code version for verification; present only if all runs have ended. */
  proof?: string;
};

/** Returns the value by which a cell is ranked; undefined if the cell is not ranked. */
export function rankValue(cell: TableCell | undefined): number | undefined {
  if (cell?.kind === "meanStd" || cell?.kind === "estimate") return Number.isNaN(cell.mean) ? undefined : cell.mean;
  if (cell?.kind === "share") return cell.n === 0 ? undefined : cell.k / cell.n;
  // A mean over some of the columns is not ranked against means over all columns.
  if (cell?.kind === "number") return Number.isNaN(cell.value) || cell.partOf ? undefined : cell.value;
  return undefined;
}
