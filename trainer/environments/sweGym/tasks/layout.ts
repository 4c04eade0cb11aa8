import type { SweGymSpec } from "#trainer/spec/environments/sweGym.ts";
import type { Rng } from "#trainer/spec/rng.ts";
import { linesOf, type Library, type LibraryFunction } from "../library/function.ts";
import { commonModules } from "../library/repos.ts";
import { shuffled } from "./draw.ts";

/** A file of code: its functions in order, and what it imports. */
export type Module = { readonly path: string; readonly functions: readonly LibraryFunction[] };

/**
 * The files of a repository: those functions that are needed, others of its own, then modules that any repository can
 * have, until every file has its number of functions. A chain of calls runs through as many files as there are.
 */
export function layOut(
  { files, functionsPerFile }: Pick<SweGymSpec, "files" | "functionsPerFile">,
  library: Library,
  { needed, rng }: { needed: readonly LibraryFunction[]; rng: Rng },
): readonly Module[] {
  const numOwn = files === 1 ? 1 : Math.min(files, Math.max(2, Math.ceil(library.functions.length / functionsPerFile)));
  const own = choose(library, { needed, count: numOwn * functionsPerFile, rng });
  const common = shuffled(commonModules, rng);
  const spare = common.slice(files - numOwn).flatMap(({ functions }) => functions);
  const names = library.modules.slice(0, numOwn);
  const ownModules = names.map((name, i): Module => {
    const functions = own.filter((_, k) => k % numOwn === i);
    const rest = spare.splice(0, Math.max(0, functionsPerFile - functions.length));
    return { path: `src/${name}.js`, functions: shuffled([...functions, ...rest], rng) };
  });
  const others = common.slice(0, files - numOwn).map(({ name, functions }): Module => ({
    path: `src/${name}.js`,
    functions: shuffled(functions, rng).slice(0, functionsPerFile),
  }));
  return [...ownModules, ...others];
}

/** The needed ones, then others with everything they call, as long as there is room. */
function choose(
  library: Library,
  { needed, count, rng }: { needed: readonly LibraryFunction[]; count: number; rng: Rng },
): readonly LibraryFunction[] {
  const chosen = new Set(needed);
  for (const candidate of shuffled(library.functions, rng)) {
    const added = withCallees(library, candidate).filter((source) => !chosen.has(source));
    if (chosen.size + added.length <= count) for (const source of added) chosen.add(source);
  }
  // In the library's order, callees first, so that a chain of calls goes from file to file.
  return library.functions.filter((source) => chosen.has(source));
}

export function withCallees(library: Library, source: LibraryFunction): readonly LibraryFunction[] {
  const callees = library.functions.filter(({ name }) => source.calls.includes(name));
  return [...new Set([...callees.flatMap((callee) => withCallees(library, callee)), source])];
}

/** The text of a file. */
export function toSource(module: Module, modules: readonly Module[]): string {
  const imports = modules.flatMap((other) => {
    if (other.path === module.path) return [];
    const calls = new Set(module.functions.flatMap(({ calls }) => calls));
    const names = other.functions.map(({ name }) => name).filter((name) => calls.has(name));
    return names.length === 0 ? [] : [`import { ${names.join(", ")} } from "./${other.path.slice("src/".length)}";`];
  });
  const head = imports.length === 0 ? [] : [...imports, ""];
  const body = module.functions.flatMap((source, i) => [...(i === 0 ? [] : [""]), ...linesOf(source)]);
  return [...head, ...body, ""].join("\n");
}

/** The line, counted from 0, on which a function's header stands. */
export function headerIndex(text: string, name: string): number {
  return text.split("\n").findIndex((line) => line.startsWith(`export function ${name}(`));
}
