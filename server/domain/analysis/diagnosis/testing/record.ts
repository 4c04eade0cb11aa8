import type { Point } from "#packages/detector";
import type { RunSpec } from "#trainer/spec/run.ts";
import { parseEventLog } from "#server/domain/trainers/import/toEventLog.ts";

export type Record_ = {
  faults: string[];
  seed: number;
  source: string;
  spec: RunSpec;
  iterations: number[];
  values: Record<string, (number | string | null)[]>;
  changes: number[];
};

/** TODO */
export function toRecord(
  about: { faults: string[]; seed: number; source: string },
  spec: RunSpec,
  log: string,
): Record_ {
  const points = parseEventLog(log);
  return { ...about, spec, ...toColumns(points) };
}

export function toColumns(points: readonly Point[]) {
  const keys = [...new Set(points.flatMap(({ values }) => Object.keys(values)))].filter(
    (key) => !/^(time|memory|throughput|hardware)\//.test(key),
  );
  const values: Record_["values"] = {};
  for (const key of keys)
    values[key] = points.map(({ values: all }) => {
      const value = all[key];
      if (value === undefined) return null;
      return Number.isFinite(value) ? Number(value.toPrecision(4)) : String(value);
    });
  return {
    iterations: points.map(({ iteration }) => iteration),
    values,
    changes: points.flatMap(({ iteration, annotations }) => (annotations?.includes("data") ? [iteration] : [])),
  };
}

export function toPoints({ iterations, values, changes }: Pick<Record_, "iterations" | "values" | "changes">): Point[] {
  return iterations.map((iteration, i) => ({
    iteration,
    values: Object.fromEntries(
      Object.entries(values).flatMap(([key, column]) => {
        const v = column[i];
        return v === null || v === undefined ? [] : [[key, Number(v)]];
      }),
    ),
    ...(changes.includes(iteration) && { annotations: ["data" as const] }),
  }));
}
