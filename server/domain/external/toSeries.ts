import { metrics, type Metric, type MetricKey } from "#trainer/spec/metric.ts";
import { canonicalKey, toCatalogueUnit, type Dialect } from "./canonical.ts";
import { guessDialect } from "./namer.ts";
import { findScaledRates, sayScale, toShares } from "./rates.ts";
import { sayRestarts, settle, type LogLine } from "./settle.ts";

/** What a trainer measured at one step, under the catalogue's keys where it has one. NaN and ±Infinity are values. */
export type SeriesPoint = { iteration: number; values: Readonly<Record<string, number>>; atMs?: number };

/** A whole run as a log tells it: points ascend, each iteration once. */
export type RunSeries = {
  points: readonly SeriesPoint[];
  /** The trainer's own key of each of the catalogue's that it has. */
  originals: Readonly<Record<string, string>>;
  /** What was done on the way that a reader should know. */
  notes: readonly string[];
};

/** What a log holds of one run: its lines in its order, under the trainer's own keys. */
export type RawRun = {
  lines: readonly LogLine[];
  /** Whose keys they are; guessed from the keys where the log does not tell. */
  dialect?: Dialect | undefined;
  /** The trainer's own keys, where the log names them beside the catalogue's. */
  originals?: Readonly<Record<string, string>> | undefined;
};

export function toSeries({ lines, dialect, originals }: RawRun): RunSeries {
  const { steps, restarts } = settle(lines);
  const nameOf = nameKeys(keysOf(steps), dialect);
  const isRenamed = [...nameOf].some(([key, name]) => key !== name);
  const named = steps.map(({ step, values, atMs }): SeriesPoint => {
    // A log may have millions of steps: no copy of what stays as it is.
    if (!isRenamed) return { iteration: step, values, ...(atMs !== undefined && { atMs }) };
    const entries = Object.entries(values).map(([key, value]): [string, number] => {
      const name = nameOf.get(key) ?? key;
      return [name, name === key ? value : toCatalogueUnit(key, value)];
    });
    return { iteration: step, values: Object.fromEntries(entries), ...(atMs !== undefined && { atMs }) };
  });
  const renamed = [...nameOf].filter(([key, name]) => name !== key);
  const ownNames: Record<string, string> = {
    ...Object.fromEntries(renamed.map(([key, name]) => [name, key])),
    ...originals,
  };
  const scaled = findScaledRates(named);
  const scales = new Map(scaled.map(({ key, scale }) => [key, scale]));
  const refuse = (key: string) => ownNames[key] ?? `${key} (no rate)`;
  const toRates = (point: SeriesPoint) => ({ ...point, values: toShares(point.values, scales, refuse) });
  return {
    points: scaled.length === 0 ? named : named.map(toRates),
    originals: Object.fromEntries(Object.entries(ownNames).filter(([name]) => scales.get(name) !== "none")),
    notes: [...sayRestarts(restarts), ...scaled.map((one) => sayScale(one, ownNames[one.key] ?? one.key))],
  };
}

function keysOf(steps: readonly LogLine[]): ReadonlySet<string> {
  const keys = new Set<string>();
  for (const { values } of steps) for (const key of Object.keys(values)) keys.add(key);
  return keys;
}

/**
 * The catalogue's name of each key that has one. Of several keys of one meaning the one that the catalogue lists first
 * has the name, whichever comes first in the log, and the others keep their own: two quantities never share a curve.
 */
function nameKeys(keys: ReadonlySet<string>, wanted: Dialect | undefined): ReadonlyMap<string, string> {
  const dialect = wanted ?? guessDialect([...keys]);
  const ownerOf = new Map<MetricKey, string>();
  for (const key of keys) {
    const canonical = canonicalKey(key, dialect);
    if (canonical === undefined) continue;
    const rank = (one: string) => rankOf(one, canonical, dialect);
    const other = ownerOf.get(canonical);
    if (other === undefined || rank(key) < rank(other)) ownerOf.set(canonical, key);
  }
  return new Map([...ownerOf].map(([name, key]) => [key, name]));
}

function rankOf(key: string, canonical: MetricKey, dialect: Dialect): number {
  if (key === canonical) return -1;
  const entry: Metric = metrics[canonical];
  const listed = entry[dialect] ?? [];
  const at = listed.indexOf(key);
  return at === -1 ? listed.length : at;
}
