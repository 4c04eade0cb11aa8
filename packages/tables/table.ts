import { groupBy, type NumberFormat } from "#packages/base";
import type { Interval } from "#packages/statistics";

/** A table as data, which `formats.ts` prints. Texts are plain Unicode, which each format escapes. */
export type Table = {
  caption: string;
  /** Key in LaTeX's \label, without the prefix `tab:`. */
  label: string;
  columns: Column[];
  rows: Row[];
  /** Sentences printed below the table. */
  notes: string[];
  footnotes?: { mark: string; text: string }[];
  /** Best and second values are not marked. */
  isUnmarked?: boolean;
  /** The LaTeX table spans both columns of a page. */
  isWide?: boolean;
  provenance: Provenance;
};

/** A table whose label and provenance follow from the question that it answers. */
export type BareTable = Omit<Table, "label" | "provenance">;

export type Column = {
  key: string;
  header: string;
  /** Header shared with adjacent columns. */
  group?: string;
  /** Shown in brackets in the header. */
  unit?: string;
  /** Intervals are printed from here on, if no value can be smaller. Proofs contain them unclipped. */
  min?: 0;
  /** The best value is bold, the second underlined. */
  better: "up" | "down" | "none";
  format: NumberFormat;
};

export type Row = {
  cells: TableCell[];
  runIds: string[];
  /** Rows are ranked within a block: results in different environments are not comparable. */
  block?: string;
  /** Key of the tasks that each cell's value is of, if cells of a column may be of different tasks. */
  tasks?: readonly string[];
  /** Heading shared with adjacent rows. */
  heading?: string;
  /** Highlighted as the author's own method. */
  isOurs?: boolean;
  /** Changes of the row above from the baseline, and nothing else. */
  isChange?: boolean;
  /** Published numbers that the author entered: without runs, and not ranked. */
  isReference?: boolean;
  /** Caveat due to the number of seeds. */
  caveat?: { word: string; sentence: string };
};

export type TableCell =
  | {
      kind: "text";
      text: string;
      /** LaTeX form of a method's name, inserted unescaped. */
      latex?: string;
      /** Stands for the text in proofs, so that a new wording changes no proof. */
      key?: string;
    }
  | {
      kind: "number";
      value: number;
      /** Averaged columns with a value (`n`) and in total (`of`); absent if none is missing. */
      partOf?: { n: number; of: number };
      change?: CellChange;
    }
  /** Mean over `n` seeds, printed with its 95 % t interval. Proofs contain `std` over seeds, NaN for n < 2. */
  | { kind: "meanStd"; mean: number; std: number; n: number }
  | ({ kind: "estimate" } & Estimate)
  /** k of n runs, ranked by k/n. */
  | { kind: "share"; k: number; n: number }
  | ({ kind: "change" } & CellChange)
  /** `isDiverged`: runs exist, but they have no finite number. */
  | { kind: "missing"; marks?: string[]; isDiverged?: boolean };

export type CellChange = { value: number; of: "percent" | "points" };

export type Estimate = {
  mean: number;
  /** Standard deviation over seeds; NaN with fewer than two. */
  std: number;
  n: number;
  /** 95 % interval of the mean; absent with too few seeds. */
  interval?: { low: number; high: number };
  /** Printed beside the mean: standard deviation, standard error, or bounds. */
  shown:
    | { kind: "none" }
    | { kind: "plusMinus"; value: number }
    | {
        kind: "interval";
        low: number;
        high: number;
        /** Half-width before clipping, which proofs hash in place of the bounds. */
        halfWidth?: number;
      };
  /** p-value with Holm's correction; absent without a test. */
  correctedP?: number;
  /** Stars of a significant difference from the baseline; not printed where a metric has no better direction. */
  stars: "" | "*" | "**" | "***";
  /** Absent if a separate column shows it. */
  numCollapsed?: number;
  marks: string[];
  /** Printed after the number. */
  change?: CellChange;
};

/** Origin of the numbers, printed as comments or columns. */
export type Provenance = {
  sweepName: string;
  planHash?: string;
  /** Hash for verification; present only if all runs have ended. */
  proof?: string;
  /** Numbers of runs that did not end as planned, by the way they ended; a part of the proof. */
  ends?: Readonly<Record<string, number>>;
};

/** Makes the cell of a number over `n` runs, with the bounds of its interval if they are known. */
export function estimateCell(mean: number, n: number, interval: Interval | undefined): TableCell {
  const isKnown = interval !== undefined && Number.isFinite(interval.low) && Number.isFinite(interval.high);
  return {
    kind: "estimate",
    mean,
    std: NaN,
    n,
    ...(isKnown && { interval }),
    shown: isKnown ? { kind: "interval", ...interval } : { kind: "none" },
    stars: "",
    marks: [],
  };
}

/** Undefined if the cell is not ranked. */
export function rankValue(cell: TableCell | undefined): number | undefined {
  if (cell?.kind === "meanStd" || cell?.kind === "estimate") return Number.isNaN(cell.mean) ? undefined : cell.mean;
  if (cell?.kind === "share") return cell.n === 0 ? undefined : cell.k / cell.n;
  // A mean over some of the columns is not ranked against means over all columns.
  if (cell?.kind === "number") return Number.isNaN(cell.value) || cell.partOf ? undefined : cell.value;
  return undefined;
}

/** Sorts the rows below each heading by a column, for reading. Proofs keep the rows in their own order. */
export function sortRows<Some extends Pick<Table, "columns" | "rows">>(table: Some, key: string, isUp = false): Some {
  const column = table.columns.findIndex((one) => one.key === key);
  const last = isUp ? Infinity : -Infinity;
  const valueOf = ({ cells }: Row) => rankValue(cells[column]) ?? last;
  const rows = [...groupBy(table.rows, ({ heading, block }) => `${heading}\n${block}`).values()].flatMap((inside) =>
    inside.toSorted((a, b) => (isUp ? 1 : -1) * (valueOf(a) - valueOf(b)) || 0),
  );
  return { ...table, rows };
}

/** Lists run ids without duplicates, in order of first use. */
export function listRunIds(rows: readonly Row[]): string[] {
  return [...new Set(rows.flatMap(({ runIds }) => runIds))];
}

/** Names the sweeps of a table and their plans. */
export function provenanceOf(sweeps: readonly { name: string; planHash: string }[]): Provenance {
  return {
    sweepName: sweeps.map(({ name }) => name).join(" and "),
    planHash: [...new Set(sweeps.map(({ planHash }) => planHash))].join(" "),
  };
}
