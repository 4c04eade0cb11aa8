import { dialectNames, guessDialect, readName, toCatalogueUnit, type Dialect } from "./canonical.ts";

/** Values under their stored names; `originals` maps newly renamed metrics to the trainer's own keys. */
export type Named = { values: Record<string, number>; originals: Record<string, string> };
export type Namer = (values: Readonly<Record<string, number>>) => Named;

/**
 * Makes a function that names the metrics of one run permanently. The first key with a meaning gets the catalogue's
 * name; later keys with this meaning keep their own names, so that two quantities never share a curve. The dialect
 * (the trainer's names) is guessed from all keys so far. `known`: earlier names (name → own key); `chosen`: the
 * user's choices (own key → name).
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
    // A key that the user named is left out, so that it does not count as one of several keys with the same meaning.
    const unchosen = keys.filter((key) => !choice.has(key));
    const names = nameKeys(unchosen, dialect ?? guessDialect(seen));
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
 * Maps keys that a run logs side by side to catalogue names. Keys with the same meaning get separate names if the
 * trainer's list has such names. Otherwise the key that comes first in the list gets the shared name, whatever the
 * order in the log, and the other keys keep their own names.
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

/** Catalogue key of a single name from an unknown trainer, by the first list that has it. */
export function nameAlone(key: string): string | undefined {
  for (const dialect of dialectNames) {
    const reading = readName(key, dialect);
    if (reading) return reading.is;
  }
  return undefined;
}
