import { dialectNames, guessDialect, readName, toCatalogueUnit, type Dialect } from "./canonical.ts";

/** Values under the names they are stored by; `originals` tells each renamed metric's own key, once. */
export type Named = { values: Record<string, number>; originals: Record<string, string> };
export type Namer = (values: Readonly<Record<string, number>>) => Named;

/**
 * Names one run's metrics for good: the first keys of a meaning get the catalogue's name, later ones of the same meaning
 * keep their own, so that two quantities never share a curve. Whose names they are is judged by all that were seen.
 * `known` is what was named before (name → own key), `chosen` what a person says (own key → name).
 */
export function makeNamer(
  dialect?: Dialect,
  known: Readonly<Record<string, string>> = {},
  chosen: Readonly<Record<string, string>> = {},
): Namer {
  const choice = new Map(Object.entries(chosen));
  const nameOf = new Map(Object.entries(known).map(([name, key]) => [key, name]));
  const ownerOf = new Map([...[...choice].map(([key, name]) => [name, key] as const), ...Object.entries(known)]);
  const seen = new Set<string>(Object.values(known));
  const takeIn = (keys: readonly string[]): void => {
    for (const key of keys) seen.add(key);
    const names = nameKeys(keys, dialect ?? guessDialect(seen));
    for (const key of keys) {
      const name = choice.get(key) ?? names.get(key) ?? key;
      const isFree = !ownerOf.has(name) || ownerOf.get(name) === key;
      nameOf.set(key, isFree ? name : key);
      if (isFree) ownerOf.set(name, key);
    }
  };
  return (values) => {
    const fresh = Object.keys(values).filter((key) => !nameOf.has(key));
    if (fresh.length > 0) takeIn(fresh);
    const entries = Object.entries(values).map(([key, value]): [string, number] => {
      const name = nameOf.get(key) ?? key;
      return [name, name === key ? value : toCatalogueUnit(key, value)];
    });
    const renamed = fresh.filter((key) => nameOf.get(key) !== key);
    return {
      values: Object.fromEntries(entries),
      originals: Object.fromEntries(renamed.map((key) => [nameOf.get(key) ?? key, key])),
    };
  };
}

/**
 * The catalogue's name of each key that has one, of keys that a run has side by side. Of several keys of one meaning
 * each has a name of its own where their dialect gives it one; otherwise the one that the dialect lists first has the
 * name, whichever comes first in the log, and the others keep theirs.
 */
export function nameKeys(keys: Iterable<string>, dialect: Dialect): ReadonlyMap<string, string> {
  const readings = [...keys].flatMap((key) => {
    const reading = readName(key, dialect);
    return reading ? [{ key, ...reading }] : [];
  });
  const numOfLine = new Map<string, number>();
  for (const { is, rank } of readings) numOfLine.set(`${rank} ${is}`, (numOfLine.get(`${rank} ${is}`) ?? 0) + 1);
  const ownerOf = new Map<string, (typeof readings)[number]>();
  for (const reading of readings) {
    const { is, each, rank } = reading;
    const name = each !== undefined && (numOfLine.get(`${rank} ${is}`) ?? 0) > 1 ? each : is;
    const other = ownerOf.get(name);
    if (other === undefined || rank < other.rank) ownerOf.set(name, reading);
  }
  return new Map([...ownerOf].map(([name, { key }]) => [key, name]));
}

/** The catalogue's key by the first dialect that has one for it: for one name alone, whose trainer nobody knows. */
export function nameAlone(key: string): string | undefined {
  for (const dialect of dialectNames) {
    const reading = readName(key, dialect);
    if (reading) return reading.is;
  }
  return undefined;
}
