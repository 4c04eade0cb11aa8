import type { Point } from "#packages/detector";
import type { CellSpec } from "#trainer/spec/run.ts";

/** A run for choosing or judging the rules: its known faults (none: a healthy run), and its metrics by column. */
export type FaultRecord = {
  part: "choose" | "judge";
  faults: readonly string[];
  source: "trained" | "recorded";
  spec: CellSpec;
  iterations: readonly number[];
  /** Values rounded to four digits; null if not logged, a text if not finite. */
  values: Readonly<Record<string, readonly (number | string | null)[]>>;
  /** First iterations after a change of the data. */
  changes: readonly number[];
};

type Columns = Pick<FaultRecord, "iterations" | "values" | "changes">;

export function toColumns(points: readonly Point[], isKept: (key: string) => boolean): Columns {
  const keys = [...new Set(points.flatMap(({ values }) => Object.keys(values)))].filter(isKept);
  const read = (value: number | undefined) =>
    value === undefined ? null : Number.isFinite(value) ? Number(value.toPrecision(4)) : String(value);
  return {
    iterations: points.map(({ iteration }) => iteration),
    values: Object.fromEntries(keys.map((key) => [key, points.map(({ values }) => read(values[key]))])),
    changes: points.flatMap(({ iteration, annotations }) => (annotations?.includes("data") ? [iteration] : [])),
  };
}

export function toPoints({ iterations, values, changes }: Columns): Point[] {
  const columns = Object.entries(values);
  return iterations.map((iteration, i) => ({
    iteration,
    values: Object.fromEntries(
      columns.flatMap(([key, column]) => {
        const value = column[i] ?? null;
        return value === null ? [] : [[key, Number(value)]];
      }),
    ),
    ...(changes.includes(iteration) && { annotations: ["data" as const] }),
  }));
}
