import { canonicalKey, toCatalogueUnit, type Dialect } from "./canonical.ts";

/** Values under the names they are stored by; `originals` tells each renamed metric's own key, once. */
export type Named = { values: Record<string, number>; originals: Record<string, string> };
export type Namer = (values: Readonly<Record<string, number>>) => Named;

/**
 * Names one run's metrics for good: the first key of a meaning gets the catalogue's name, a later one of the same
 * meaning keeps its own, so that two quantities never share a curve. `known` is what was named before (name → own key).
 */
export function makeNamer(dialect?: Dialect, known: Readonly<Record<string, string>> = {}): Namer {
  let spoken = dialect ?? (Object.keys(known).length > 0 ? guessDialect(Object.values(known)) : undefined);
  const ownerOf = new Map(Object.entries(known));
  const noted = new Set(Object.keys(known));
  return (values) => {
    const named: Named = { values: {}, originals: {} };
    const keys = Object.keys(values);
    spoken ??= keys.some(isKnown) ? guessDialect(keys) : undefined;
    for (const [key, value] of Object.entries(values)) {
      const canonical = spoken && canonicalKey(key, spoken);
      const isOwner = canonical !== undefined && (ownerOf.get(canonical) ?? key) === key;
      const name = isOwner ? canonical : key;
      if (isOwner) ownerOf.set(canonical, key);
      named.values[name] = isOwner ? toCatalogueUnit(key, value) : value;
      if (name !== key && !noted.has(name)) {
        named.originals[name] = key;
        noted.add(name);
      }
    }
    return named;
  };
}

/** Whose keys they are: the dialect that knows more of them. */
export function guessDialect(keys: readonly string[]): Dialect {
  const distinct = [...new Set(keys)];
  const count = (dialect: Dialect) => distinct.filter((key) => canonicalKey(key, dialect) !== undefined).length;
  return count("trl") > count("verl") ? "trl" : "verl";
}

function isKnown(key: string): boolean {
  return canonicalKey(key, "verl") !== undefined || canonicalKey(key, "trl") !== undefined;
}
