import { posix } from "node:path";

/** Source text by path, relative to the root. */
export type Sources = ReadonlyMap<string, string>;

/**
 * Test files that reach changed files by imports, nearest first: changed tests, tests that import a changed file, tests
 * that import one of its importers, and so on; ties by path.
 */
export function nearestTests(changed: readonly string[], sources: Sources): string[] {
  const importers = invert(sources);
  const reached = new Set<string>();
  let layer = changed.filter((path) => sources.has(path));
  while (layer.length > 0) {
    for (const path of layer.toSorted()) reached.add(path);
    const next = new Set(layer.flatMap((path) => importers.get(path) ?? []));
    layer = [...next].filter((path) => !reached.has(path));
  }
  return [...reached].filter((path) => /\.test\.tsx?$/.test(path));
}

/** Importers of each path. */
function invert(sources: Sources): Map<string, string[]> {
  const importers = new Map<string, string[]>();
  for (const [path, text] of sources) {
    for (const imported of listImports(path, text)) {
      importers.set(imported, [...(importers.get(imported) ?? []), path]);
    }
  }
  return importers;
}

/** Modules of this repository that a file imports at run time; type imports are ignored. */
function listImports(path: string, text: string): string[] {
  const statements = text.matchAll(/(?:\bfrom|\bimport|\bimport\()\s*"((?:#|\.)[^"]+)"/g);
  return [...statements]
    .filter(({ index }) => !isOfTypes(text, index))
    .map(([, name = ""]) => (name.startsWith("#") ? pathOf(name.slice(1)) : posix.join(posix.dirname(path), name)));
}

/** A package is imported by its folder, which stands for its entry. */
function pathOf(name: string): string {
  return /^packages\/[^/]+$/.test(name) ? `${name}/index.ts` : name;
}

/** True where the statement that ends in this `from` begins with `import type` or `export type`. */
function isOfTypes(text: string, from: number): boolean {
  const begin = Math.max(text.lastIndexOf("import ", from - 1), text.lastIndexOf("export ", from - 1));
  return begin !== -1 && /^(import|export) type\s[^;]*$/.test(text.slice(begin, from));
}
