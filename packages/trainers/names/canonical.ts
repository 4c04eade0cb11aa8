import { isMetricKey } from "#trainer/spec/metric.ts";
import { type Dialect, dialects, type Meaning } from "./dialects.ts";

export type { Dialect } from "./dialects.ts";

/**
 * Catalogue meaning of a trainer's metric name. `is`: catalogue key. `rank`: among names with the same meaning, the
 * lowest rank gets the key. `each`: key of each name if several are logged side by side. `factor`: from the trainer's
 * unit to the catalogue's.
 */
export type Reading = { is: string; each: string | undefined; factor: number; rank: number };

export const dialectNames = Object.keys(dialects).filter((name): name is Dialect => Object.hasOwn(dialects, name));

/** Null: the name means a different quantity than any metric. Undefined: the trainer has no such name. */
export function readName(key: string, dialect: Dialect): Reading | null | undefined {
  if (isMetricKey(key)) return { is: key, each: undefined, factor: 1, rank: -1 };
  const { exact, patterns } = readers[dialect];
  const rank = exact.get(key);
  const found = patterns.find(({ pattern, rank: other }) => other < (rank ?? Infinity) && pattern.test(key));
  if (found) return toReading(found.meaning, found.rank, found.pattern.exec(key)?.groups ?? {});
  const meaning = rank === undefined ? undefined : lines[dialect][rank]?.[1];
  return meaning === undefined || rank === undefined ? undefined : toReading(meaning, rank, {});
}

/** Converts to the catalogue's unit and sign. `key`: the trainer's name, whose factor is the same for all trainers. */
export function toCatalogueUnit(key: string, value: number): number {
  // Adding 0 turns −0 into 0.
  return value * factorOf(key) + 0;
}

/** Converts a value from the catalogue's unit to the unit of a trainer's metric name, `key`. */
export function fromCatalogueUnit(key: string, value: number): number {
  return value / factorOf(key) + 0;
}

/** Returns the trainer that knows the largest number of the metric names. */
export function guessDialect(keys: Iterable<string>): Dialect {
  const distinct = [...new Set(keys)];
  const countOf = (dialect: Dialect) => distinct.filter((key) => readName(key, dialect) !== undefined).length;
  const counts = dialectNames.map((dialect) => ({ dialect, count: countOf(dialect) }));
  return counts.reduce((most, other) => (other.count > most.count ? other : most)).dialect;
}

type Line = readonly [name: string, meaning: Meaning];
type Pattern = { pattern: RegExp; meaning: Meaning; rank: number };

const lines = mapDialects((dialect): readonly Line[] => Object.entries(dialects[dialect].names));
const readers = mapDialects((dialect) => {
  const exact = new Map<string, number>();
  const patterns: Pattern[] = [];
  for (const [rank, [name, meaning]] of lines[dialect].entries()) {
    exact.set(name, rank);
    if (/[^\w/.-]/.test(name)) patterns.push({ pattern: toPattern(name), meaning, rank });
  }
  return { exact, patterns };
});

const scaled = Object.values(lines)
  .flat()
  .map(([name, meaning]) => ({ name, factor: toReading(meaning, 0, {})?.factor ?? 1 }))
  .filter(({ factor }) => factor !== 1);
const factors = new Map(scaled.map(({ name, factor }) => [name, factor]));
const scaledPatterns = scaled
  .filter(({ name }) => name.includes("{"))
  .map(({ name, factor }) => ({ pattern: toPattern(name), factor }));

const dropped = Object.values(dialects)
  .flatMap((dialect) => dialect.dropped ?? [])
  .map(toPattern);

/** True if a trainer states with this name how much it generated and did not train on. */
export function isDropped(key: string): boolean {
  return dropped.some((pattern) => pattern.test(key));
}

/** Returns the factor from the unit of a trainer's metric name to the catalogue's unit; 1 if the units are equal. */
export function factorOf(key: string): number {
  return factors.get(key) ?? scaledPatterns.find(({ pattern }) => pattern.test(key))?.factor ?? 1;
}

function mapDialects<Value>(make: (dialect: Dialect) => Value): Readonly<Record<Dialect, Value>> {
  return Object.fromEntries(dialectNames.map((dialect) => [dialect, make(dialect)])) as Record<Dialect, Value>;
}

/** Matches a name also as trackers change it: MLflow writes `_at_` for `@` and `_` for others, TensorBoard `_`. */
function toPattern(name: string): RegExp {
  const parts = name.split(/(\{\w+\/?\})/).map((part) => {
    const [, variable, slash] = /^\{(\w+)(\/?)\}$/.exec(part) ?? [];
    if (variable !== undefined) return `(?<${variable}>${slash === "/" ? ".+" : "[^/]+"}?)`;
    return part.replaceAll(/[^\w/]/g, (letter) => {
      if (letter === "@") return "(?:@|_at_|_)";
      return /[.-]/.test(letter) ? `\\${letter}` : `[\\${letter}_]`;
    });
  });
  return new RegExp(`^${parts.join("")}$`);
}

function toReading(meaning: Meaning, rank: number, parts: Readonly<Record<string, string>>): Reading | null {
  if (meaning === null) return null;
  const fill = (target: string) => target.replaceAll(/\{(\w+)\}/g, (_, part: string) => parts[part] ?? "");
  if (typeof meaning === "string") return { is: fill(meaning), each: undefined, factor: 1, rank };
  if ("is" in meaning) return { is: fill(meaning.is), each: fill(meaning.each), factor: 1, rank };
  return { is: fill(meaning[0]), each: undefined, factor: meaning[1], rank };
}
