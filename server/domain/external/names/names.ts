import type { MetricKey } from "#trainer/spec/metric.ts";

/** A metric of the catalogue, or of one of its open groups with a part of the trainer's name in it. */
type Target = MetricKey | `taskSuccess/${string}` | `evaluation/passAt${string}`;

/**
 * What one name of a trainer is in the catalogue. `factor`: what its values are multiplied by to have the catalogue's unit
 * and sign, 1 where it stands alone. `each`: what several names of one run are that would all be `is`. Null: a name that
 * could be taken for one of the catalogue's and is another quantity.
 */
export type Meaning = Target | readonly [is: Target, factor: number] | { is: Target; each: Target } | null;

/**
 * One trainer's names. `{part}` stands for a text without a slash, `{part/}` for any; a meaning may repeat it. The first
 * line that fits a name counts, and of several names of one meaning in one run the one that comes first here has it.
 */
export type Names = Readonly<Record<string, Meaning>>;

export const seconds = 1000;

/** The same names with and without a prefix that some of the trainer's loggers put before them. */
export function alsoUnder(prefix: string, names: Names): Names {
  return Object.fromEntries(
    Object.entries(names).flatMap(([name, meaning]) => [[name, meaning] as const, [`${prefix}${name}`, meaning]]),
  );
}
