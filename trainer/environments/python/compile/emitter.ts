import type { Value } from "../values/value.ts";
import { opNames, type Code, type Op } from "./code.ts";
import type { Place, Scope, Scopes } from "./scope.ts";

/** What surrounds a statement and has to be undone when it is left by a jump. */
export type Surrounding =
  | { kind: "loop"; start: number; breaks: number[]; isFor: boolean }
  | { kind: "try" }
  | { kind: "finally"; body: () => void }
  | { kind: "handler"; cleanup: () => void }
  | { kind: "with" };

/** Code under construction, with the scope it is compiled in. */
export type Emitter = {
  readonly code: Code;
  readonly scope: Scope;
  readonly scopes: Scopes;
  readonly surroundings: Surrounding[];
};

export function makeEmitter(scopes: Scopes, scope: Scope, { name, title }: { name: string; title: string }): Emitter {
  const named = (place: Place): string[] => [...scope.places].filter(([, found]) => found === place).map(([n]) => n);
  const own = named("cell");
  const code: Code = {
    name,
    title,
    kind: "code",
    form: scope.kind,
    ops: [],
    args: [],
    constants: [],
    names: [],
    locals: [],
    cells: [...own, ...named("free")],
    numOwnCells: own.length,
    cellSources: own.map(() => -1),
    codes: [],
    captures: [],
    parameters: {
      numPositionalOnly: 0,
      numPositional: 0,
      numKeywordOnly: 0,
      hasRest: false,
      hasKeywordRest: false,
    },
    isGenerator: scope.isGenerator,
    keywordLists: [],
  };
  return { code, scope, scopes, surroundings: [] };
}

const numberOf = Object.fromEntries(opNames.map((name, i) => [name, i])) as Record<Op, number>;

/** The place of the instruction, for a jump that is not known yet. */
export function emit({ code }: Emitter, op: Op, arg = 0): number {
  code.ops.push(numberOf[op]);
  return code.args.push(arg) - 1;
}

export function here({ code }: Emitter): number {
  return code.ops.length;
}

/** Lets a jump emitted earlier come here. */
export function land({ code }: Emitter, jump: number): void {
  code.args[jump] = code.ops.length;
}

export function emitConstant(emitter: Emitter, value: Value): void {
  emit(emitter, "constant", emitter.code.constants.push(value) - 1);
}

function indexIn(list: string[], name: string): number {
  const found = list.indexOf(name);
  return found === -1 ? list.push(name) - 1 : found;
}

export function nameIndex({ code }: Emitter, name: string): number {
  return indexIn(code.names, name);
}

export function localIndex({ code }: Emitter, name: string): number {
  return indexIn(code.locals, name);
}

const suffixes = { local: "Local", cell: "Cell", free: "Cell", global: "Global", name: "Name" } as const;

/** Loads, stores or deletes a variable wherever the scope has it. */
export function emitVariable(emitter: Emitter, action: "load" | "store" | "delete", name: string): void {
  const place = emitter.scope.places.get(name) ?? (emitter.scope.kind === "module" ? "name" : "global");
  const index =
    place === "local"
      ? localIndex(emitter, name)
      : place === "cell" || place === "free"
        ? emitter.code.cells.indexOf(name)
        : nameIndex(emitter, name);
  emit(emitter, `${action}${suffixes[place]}`, index);
}
