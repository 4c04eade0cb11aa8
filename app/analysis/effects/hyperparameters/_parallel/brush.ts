import { nameLevel } from "#server/domain/analysis/hyperparameters/column.ts";
import { quote } from "#server/domain/runs/table/splitWords.ts";
import type { AddressPart } from "#app/_ui/address.ts";
import type { StudyColumn } from "#server/domain/analysis/hyperparameters/prepareStudy.ts";
import type { AxisModel } from "./prepareAxis.ts";

/** A selection of runs by the value of one column: a range of numbers, or a set of named levels. */
export type Brush = { key: string } & (
  | { kind: "range"; low: number; high: number }
  | { kind: "names"; names: readonly string[] }
);

/** URL parameter for the brushes: `brush=optimizer.learningRate:0.0001..0.001;method:GRPO,GSPO`. */
export const brushesPart: AddressPart<readonly Brush[]> = {
  parse: (query) => (query.get("brush") ?? "").split(";").flatMap(parseBrush),
  write: (query, brushes) => {
    const written = new URLSearchParams(query);
    written.delete("brush");
    if (brushes.length > 0) written.set("brush", brushes.map(writeBrush).join(";"));
    return written;
  },
};

function parseBrush(text: string): Brush[] {
  const [, key, value] = /^([^:]+):(.+)$/s.exec(text) ?? [];
  if (key === undefined || value === undefined) return [];
  const [, low, high] = /^(-?[\d.]+(?:e[+-]?\d+)?)\.\.(-?[\d.]+(?:e[+-]?\d+)?)$/i.exec(value) ?? [];
  if (low !== undefined && high !== undefined) {
    return [{ key: unescape(key), kind: "range", low: Number(low), high: Number(high) }];
  }
  return [{ key: unescape(key), kind: "names", names: value.split(",").map(unescape) }];
}

function writeBrush(brush: Brush): string {
  const value = brush.kind === "range" ? `${brush.low}..${brush.high}` : brush.names.map(escape).join(",");
  return `${escape(brush.key)}:${value}`;
}

const special = /[%:;,]/g;

function escape(text: string): string {
  return text.replaceAll(special, (letter) => `%${letter.charCodeAt(0).toString(16)}`);
}

function unescape(text: string): string {
  return text.replaceAll(/%([0-9a-f]{2})/gi, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)));
}

/** Returns for each run whether it is within every brush; brushes of missing columns are ignored. */
export function findBrushed(columns: readonly StudyColumn[], brushes: readonly Brush[], numRuns: number): boolean[] {
  const tests = brushes.flatMap((brush) => {
    const column = columns.find(({ key }) => key === brush.key);
    return column ? [{ brush, values: column.values }] : [];
  });
  return Array.from({ length: numRuns }, (_, run) =>
    tests.every(({ brush, values }) => isWithin(brush, values[run] ?? null)),
  );
}

function isWithin(brush: Brush, value: string | number | null): boolean {
  if (brush.kind === "names") return brush.names.includes(nameLevel(value));
  return typeof value === "number" && value >= brush.low && value <= brush.high;
}

/** Converts a brush to the axis positions, 0 to 1, that it selects; undefined if it selects nothing. */
export function placesOf(brush: Brush, { levels, stops, ...axis }: AxisModel): [number, number] | undefined {
  if (levels && stops) {
    const taken = levels.flatMap(({ value }, i) => (isWithin(brush, value) ? [i] : []));
    const [first, last] = [taken[0], taken.at(-1)];
    if (first === undefined || last === undefined) return undefined;
    return [stops[first] ?? 0, stops[last + 1] ?? 1];
  }
  if (brush.kind === "names") return undefined;
  const [low, high] = [axis.valueAt(0), axis.valueAt(1)];
  const isLog = Math.abs(axis.valueAt(0.5) - (low + high) / 2) > 1e-9 * Math.abs(high - low);
  const placeOf = (value: number) =>
    isLog ? Math.log(value / low) / Math.log(high / low) : (value - low) / (high - low);
  return [Math.max(0, placeOf(brush.low)), Math.min(1, placeOf(brush.high))];
}

/** Returns the brush between two axis positions; undefined if it would select all values or none. */
export function brushBetween(axis: AxisModel, from: number, to: number): Brush | undefined {
  const [low, high] = [Math.min(from, to), Math.max(from, to)];
  const { key, levels } = axis;
  if (!levels) {
    if (low <= 0 && high >= 1) return undefined;
    const round = (value: number) => Number(value.toPrecision(4));
    // Limits are rounded to four significant digits.
    return {
      key,
      kind: "range",
      low: round(axis.valueAt(Math.max(0, low))),
      high: round(axis.valueAt(Math.min(1, high))),
    };
  }
  const taken = levels.filter(({ place }) => place >= low && place <= high);
  if (taken.length === levels.length || taken.length === 0) return undefined;
  const names = taken.map(({ value }) => value);
  const numbers = names.filter((value) => typeof value === "number");
  if (numbers.length === names.length)
    return { key, kind: "range", low: Math.min(...numbers), high: Math.max(...numbers) };
  return { key, kind: "names", names: names.map(String) };
}

export function replaceBrush(brushes: readonly Brush[], key: string, brush: Brush | undefined): Brush[] {
  const others = brushes.filter((one) => one.key !== key);
  return brush ? [...others, brush] : others;
}

/** Returns a run table filter for these runs; undefined if an id needs quotes or it would be too long. */
export function toFilter(runIds: readonly string[]): string | undefined {
  const filter = `run=${runIds.map(quote).join(",")}`;
  return filter.includes('"') || filter.length > 2000 ? undefined : filter;
}
