import { z } from "zod";
import { type LoggedStep, makeUnread, nothingUnread, parseJson, parseNumber } from "#packages/trainers";
import type { ForeignFile } from "./foreignRun.ts";
import { find, stepColumns } from "./csv/columns.ts";
import { findMetric } from "./nameFile.ts";

const Numbers = z.array(z.union([z.number(), z.null()])).min(1);
const Columns = z.record(z.string(), Numbers);
/** Sacred's `metrics.json`: a list of steps for each metric. */
const Series = z.record(z.string(), z.object({ steps: z.array(z.int().min(0)), values: Numbers }));

const start = /^\s*\{\s*"[^"]+"\s*:\s*(?:\[|\{\s*"(?:steps|timestamps|values)"\s*:\s*\[)/;

/** Reads a JSON file with a list of values for each metric, such as Keras's history or Sacred's metrics. */
export function readColumns(text: string): ForeignFile | undefined {
  if (!start.test(text)) return undefined;
  const content = parseJson(text);
  const series = Series.safeParse(content);
  if (series.success) {
    const lines = Object.entries(series.data).flatMap(([name, { steps, values }]) => toLines(name, steps, values));
    return toFile(lines, []);
  }
  const columns = Columns.safeParse(content);
  if (!columns.success) return undefined;
  const names = Object.keys(columns.data);
  const own = columns.data[names[find(names, stepColumns)] ?? ""];
  const length = Math.max(...Object.values(columns.data).map((values) => values.length));
  const steps = own ?? Array.from({ length }, (_, i) => i + 1);
  const lines = names.flatMap((name) => {
    const values = columns.data[name] ?? [];
    return values === own ? [] : toLines(name, steps, values);
  });
  return toFile(lines, own ? [] : ["without steps: values are counted from 1"]);
}

function toLines(name: string, steps: readonly (number | null)[], values: readonly (number | null)[]): LoggedStep[] {
  return values.flatMap((value, i) => {
    const step = steps[i];
    return typeof step !== "number" || value === null ? [] : [{ step, values: { [name]: value } }];
  });
}

function toFile(lines: LoggedStep[], notes: readonly string[]): ForeignFile {
  const byStep = lines.toSorted((a, b) => a.step - b.step);
  return { format: "columns", runs: [{ name: "", lines: byStep }], notes, unread: nothingUnread };
}

/** Reads a metric's file in MLflow's file store: a line `time value step` for each value. */
export function readMlflowMetric(fileName: string, text: string): ForeignFile | undefined {
  const { metric } = findMetric(fileName) ?? {};
  if (metric === undefined || !/^\d{10,} \S+ \d+\s*$/m.test(text)) return undefined;
  const unread = makeUnread();
  const lines = text.split("\n").flatMap((line, i): LoggedStep[] => {
    const [, time, number = "", step] = /^(\d{10,}) (\S+) (\d+)\s*$/.exec(line) ?? [];
    const value = parseNumber(number);
    if (value !== undefined) return [{ step: Number(step), values: { [metric]: value }, atMs: Number(time) }];
    if (line.trim() !== "") unread.add(line, i + 1);
    return [];
  });
  return { format: "mlflowMetric", runs: [{ name: "", lines }], notes: [], unread: unread.read() };
}
