import { factorOf, guessDialect, type Dialect } from "../names/canonical.ts";
import { nameKeys } from "../names/namer.ts";
import { findScaledRates, rateKeys, sayScale, toShares } from "#packages/base";
import { sayRestarts, settle, type LogLine } from "./settle.ts";

/** One step under the studio's catalogue keys where it has them; NaN and ±Infinity count as values. */
export type SeriesPoint = { iteration: number; values: Readonly<Record<string, number>>; atMs?: number };

/** Measurements of a complete log of one run: points in ascending order, with unique iterations. */
export type RunSeries = {
  points: readonly SeriesPoint[];
  /** Maps each catalogue key that replaced a trainer's key to the trainer's key. */
  originals: Readonly<Record<string, string>>;
  /** The trainer's names of success rates that were per cent and are now fractions. */
  percents: readonly string[];
  notes: readonly string[];
};

/** Log of one run, in the order of its lines and under the trainer's own keys. */
export type RawRun = {
  lines: readonly LogLine[];
  /** Trainer whose metric names the log has; if absent, it is guessed from the keys. */
  dialect?: Dialect | undefined;
  /** Maps catalogue keys that the log already contains to the trainer's own keys. */
  originals?: Readonly<Record<string, string>> | undefined;
  /** Maps a trainer's key to the catalogue metric that the user chose, or to the key itself if none fits. */
  chosen?: Readonly<Record<string, string>> | undefined;
};

export function toSeries({ lines, dialect, originals, chosen = {} }: RawRun): RunSeries {
  const { steps, restarts } = settle(lines);
  const keys = keysOf(steps);
  const nameOf = choose(nameKeys(keys, dialect ?? guessDialect(keys)), chosen, keys);
  const isRenamed = [...nameOf].some(([key, name]) => key !== name);
  // Name patterns are matched once per key, not once per value.
  const factors = new Map([...nameOf.keys()].map((key) => [key, factorOf(key)]));
  const named = steps.map(({ step, values, atMs }): SeriesPoint => {
    // A log may have millions of steps, so values are not copied if no key is renamed.
    if (!isRenamed) return { iteration: step, values, ...(atMs !== undefined && { atMs }) };
    const canonical: Record<string, number> = {};
    for (const key of Object.keys(values)) {
      const value = values[key] ?? NaN;
      const name = nameOf.get(key) ?? key;
      // Adding 0 turns −0 into 0.
      canonical[name] = name === key ? value : value * (factors.get(key) ?? 1) + 0;
    }
    return { iteration: step, values: canonical, ...(atMs !== undefined && { atMs }) };
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
    percents: scaled.flatMap(({ key, scale }) => (scale === "percent" ? [ownNames[key] ?? key] : [])),
    notes: [...sayRestarts(restarts), ...scaled.map((one) => sayScale(one, ownNames[one.key] ?? one.key))],
  };
}

/** Divides by 100 also the success rates that are per cent in another of these runs, under the same name. */
export function shareScales<Run extends RunSeries>(runs: readonly Run[]): Run[] {
  const all = new Set(runs.flatMap(({ percents }) => percents));
  return runs.map((run) => {
    const keys = rateKeys.filter((key) => {
      const name = run.originals[key] ?? key;
      return all.has(name) && !run.percents.includes(name) && run.points.some(({ values }) => key in values);
    });
    if (keys.length === 0) return run;
    const scales = new Map(keys.map((key) => [key, "percent" as const]));
    const names = keys.map((key) => run.originals[key] ?? key);
    return {
      ...run,
      points: run.points.map((point) => ({ ...point, values: toShares(point.values, scales, String) })),
      percents: [...run.percents, ...names],
      notes: [...run.notes, `${names.join(", ")}: per cent in another file, so read as per cent and divided by 100`],
    };
  });
}

/** Applies the user's choice. If a metric is assigned to a different key, the previous key keeps its own name. */
function choose(
  names: ReadonlyMap<string, string>,
  chosen: Readonly<Record<string, string>>,
  keys: ReadonlySet<string>,
): ReadonlyMap<string, string> {
  const given = Object.entries(chosen).filter(([key]) => keys.has(key));
  if (given.length === 0) return names;
  const taken = new Map(given.map(([key, name]) => [name, key]));
  const others = [...names].filter(([key, name]) => !Object.hasOwn(chosen, key) && !taken.has(name));
  return new Map([...others, ...[...taken].map(([name, key]): [string, string] => [key, name])]);
}

function keysOf(steps: readonly LogLine[]): ReadonlySet<string> {
  const keys = new Set<string>();
  for (const { values } of steps) for (const key of Object.keys(values)) keys.add(key);
  return keys;
}
