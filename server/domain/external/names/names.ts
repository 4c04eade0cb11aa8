import type { MetricKey } from "#trainer/spec/metric.ts";

/** A catalogue metric, or one of its open groups with part of the trainer's name. */
type Target = MetricKey | `taskSuccess/${string}` | `evaluation/passAt${string}`;

/**
 * Catalogue meaning of a trainer's name. `factor`: multiplier to the catalogue's unit and sign, default 1. `each`: the
 * meaning if several names of a run would all be `is`. Null: similar to a catalogue name, but another quantity.
 */
export type Meaning = Target | readonly [is: Target, factor: number] | { is: Target; each: Target } | null;

/**
 * Names of one trainer. `{part}` matches text without a slash, `{part/}` any text; a meaning may repeat it. The first
 * matching line counts. If a run has several names of one meaning, the first one here gets it.
 */
export type Names = Readonly<Record<string, Meaning>>;

export const seconds = 1000;

/** The names with and without a prefix that some of the trainer's loggers add. */
export function alsoUnder(prefix: string, names: Names): Names {
  return Object.fromEntries(
    Object.entries(names).flatMap(([name, meaning]) => [[name, meaning] as const, [`${prefix}${name}`, meaning]]),
  );
}
