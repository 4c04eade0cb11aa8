import type { SweGymSpec } from "#trainer/spec/environments/sweGym.ts";
import type { Rng } from "#trainer/spec/rng.ts";
import { linesOf, type Library, type LibraryFunction } from "../library/function.ts";
import { commonModules } from "../library/repos.ts";
import { moduleName } from "../checking/probe.ts";
import { shuffled } from "./task.ts";

export type Module = { readonly path: string; readonly functions: readonly LibraryFunction[] };

/**
 * Distributes functions over the files of a repository: needed functions, then other functions of the same library,
 * then functions of common modules, until all files are full. A chain of calls spans as many files as possible.
 */
export function layOut(
  { files, functionsPerFile }: Pick<SweGymSpec, "files" | "functionsPerFile">,
  library: Library,
  { needed, rng }: { needed: readonly LibraryFunction[]; rng: Rng },
): readonly Module[] {
  const numOwn = files === 1 ? 1 : Math.min(files, Math.max(2, Math.ceil(library.functions.length / functionsPerFile)));
  const groups = arrange(library, { needed, numModules: numOwn, functionsPerFile, rng });
  const common = shuffled(commonModules, rng);
  const spare = common.slice(files - numOwn).flatMap(({ functions }) => functions);
  const modules = groups.map((functions, i): Module => {
    const rest = spare.splice(0, Math.max(0, functionsPerFile - functions.length));
    return { path: `src/${library.modules[i] ?? ""}.py`, functions: shuffled([...functions, ...rest], rng) };
  });
  const others = common.slice(0, files - numOwn).map(({ name, functions }): Module => ({
    path: `src/${name}.py`,
    functions: shuffled(functions, rng).slice(0, functionsPerFile),
  }));
  return [...modules, ...others];
}

type Placed = readonly (readonly LibraryFunction[])[];

/**
 * Distributes functions over Python modules: the needed functions, then other functions with all their callees while
 * modules are not full. A module calls only itself and earlier modules, since circular imports fail. Under this
 * constraint, needed functions are as far apart as possible.
 */
function arrange(
  library: Library,
  options: { needed: readonly LibraryFunction[]; numModules: number; functionsPerFile: number; rng: Rng },
): Placed {
  const { needed, numModules, functionsPerFile, rng } = options;
  let placed: Placed = Array.from({ length: numModules }, () => []);
  for (const source of inOrder(library, needed)) {
    placed = add(placed, source, Math.min(lastCallee(placed, source) + 1, numModules - 1));
  }
  for (const candidate of shuffled(library.functions, rng)) {
    const all = placed.flat();
    const added = withCallees(library, candidate).filter((source) => !all.includes(source));
    const more = added.reduce<Placed | undefined>((before, source) => {
      const first = Math.max(0, before ? lastCallee(before, source) : 0);
      const at = before?.findIndex((functions, i) => i >= first && functions.length < functionsPerFile) ?? -1;
      return before && at >= 0 ? add(before, source, at) : undefined;
    }, placed);
    placed = more ?? placed;
  }
  return placed.map((functions) => inOrder(library, functions));
}

function add(placed: Placed, source: LibraryFunction, at: number): Placed {
  return placed.map((functions, i) => (i === at ? [...functions, source] : functions));
}

/** Returns the index of the last module that contains a function called by this one, or -1 if it calls nothing. */
function lastCallee(placed: Placed, { calls }: LibraryFunction): number {
  return placed.findLastIndex((functions) => functions.some(({ name }) => calls.includes(name)));
}

/** Sorts functions in the library's order, in which called functions precede their callers. */
function inOrder(library: Library, sources: readonly LibraryFunction[]): readonly LibraryFunction[] {
  return library.functions.filter((source) => sources.includes(source));
}

export function withCallees(library: Library, source: LibraryFunction): readonly LibraryFunction[] {
  const callees = library.functions.filter(({ name }) => source.calls.includes(name));
  return [...new Set([...callees.flatMap((callee) => withCallees(library, callee)), source])];
}

export function toSource(module: Module, modules: readonly Module[]): string {
  const imports = modules.flatMap((other) => {
    if (other.path === module.path) return [];
    const calls = new Set(module.functions.flatMap(({ calls }) => calls));
    const names = other.functions.map(({ name }) => name).filter((name) => calls.has(name));
    return names.length === 0 ? [] : [`from ${moduleName(other.path)} import ${names.join(", ")}`];
  });
  const head = imports.length === 0 ? [] : [...imports, "", ""];
  const body = module.functions.flatMap((source, i) => [...(i === 0 ? [] : ["", ""]), ...linesOf(source)]);
  return [...head, ...body, ""].join("\n");
}

/** Returns the line number of a function's `def` line, counted from 0. */
export function headerIndex(text: string, name: string): number {
  return text.split("\n").findIndex((line) => line.startsWith(`def ${name}(`));
}
