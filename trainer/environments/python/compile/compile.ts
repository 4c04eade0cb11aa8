import { parse } from "../syntax/parse.ts";
import { SyntaxFault } from "../syntax/token.ts";
import type { Code } from "./code.ts";
import { emit, emitConstant, makeEmitter } from "./emitter.ts";
import { analyse } from "./scope.ts";
import { emitBlock } from "./statements.ts";

/** A program as instructions of the machine. Throws a `SyntaxFault` where CPython would refuse to start it. */
export function compile(source: string): Code {
  const block = parse(source);
  const scopes = analyse(block);
  const scope = scopes.get(block);
  if (scope === undefined) throw new SyntaxFault("no program");
  const emitter = makeEmitter(scopes, scope, { name: "<module>", title: "<module>" });
  emitBlock(emitter, block);
  emitConstant(emitter, null);
  emit(emitter, "return");
  return emitter.code;
}
