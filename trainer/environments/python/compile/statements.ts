import type { Block, Handler, Statement } from "../syntax/ast.ts";
import { SyntaxFault } from "../syntax/token.ts";
import { binaryOperators, emitExpression, emitFunction, emitOptional, openFunction } from "./expressions.ts";
import { emit, emitConstant, emitVariable, here, land, nameIndex, type Emitter, type Surrounding } from "./emitter.ts";
import { emitDelete, emitStore } from "./targets.ts";

export function emitBlock(emitter: Emitter, block: Block): void {
  for (const statement of block) emitStatement(emitter, statement);
}

function emitStatement(emitter: Emitter, statement: Statement): void {
  switch (statement.kind) {
    case "expression":
      emitExpression(emitter, statement.value);
      emit(emitter, "pop");
      return;
    case "assign":
      emitExpression(emitter, statement.value);
      for (const [i, target] of statement.targets.entries()) {
        if (i < statement.targets.length - 1) emit(emitter, "duplicate");
        emitStore(emitter, target, emitExpression);
      }
      return;
    case "augment":
      emitAugment(emitter, statement);
      return;
    case "annotate":
      if (statement.value === undefined) return;
      emitExpression(emitter, statement.value);
      emitStore(emitter, statement.target, emitExpression);
      return;
    case "delete":
      for (const target of statement.targets) emitDelete(emitter, target, emitExpression);
      return;
    case "pass":
    case "global":
    case "nonlocal":
      return;
    case "return":
      emitReturn(emitter, statement);
      return;
    case "break":
    case "continue":
      emitLeave(emitter, statement.kind);
      return;
    default:
      emitCompound(emitter, statement);
  }
}

function emitCompound(emitter: Emitter, statement: Statement): void {
  switch (statement.kind) {
    case "if":
      emitIf(emitter, statement);
      return;
    case "while":
      emitWhile(emitter, statement);
      return;
    case "for":
      emitFor(emitter, statement);
      return;
    case "raise":
      emitRaise(emitter, statement);
      return;
    case "assert":
      emitAssert(emitter, statement);
      return;
    case "def":
      emitDefinition(emitter, statement);
      return;
    case "class":
      emitClass(emitter, statement);
      return;
    case "try":
      emitTry(emitter, statement);
      return;
    case "with":
      emitWith(emitter, statement.items, statement.body);
      return;
    default:
      emitImports(emitter, statement);
  }
}

function emitAugment(emitter: Emitter, { target, operator, value }: Extract<Statement, { kind: "augment" }>): void {
  const index = binaryOperators.indexOf(operator);
  if (target.kind === "subscript") {
    emitExpression(emitter, target.object);
    emitExpression(emitter, target.index);
    emit(emitter, "duplicateTwo");
    emit(emitter, "subscript");
    emitExpression(emitter, value);
    emit(emitter, "augment", index);
    // object, index, value → value, object, index
    emit(emitter, "rotateThree");
    emit(emitter, "storeSubscript");
    return;
  }
  if (target.kind === "attribute") {
    const name = nameIndex(emitter, target.name);
    emitExpression(emitter, target.object);
    emit(emitter, "duplicate");
    emit(emitter, "loadAttribute", name);
    emitExpression(emitter, value);
    emit(emitter, "augment", index);
    emit(emitter, "swap");
    emit(emitter, "storeAttribute", name);
    return;
  }
  emitExpression(emitter, target);
  emitExpression(emitter, value);
  emit(emitter, "augment", index);
  emitStore(emitter, target, emitExpression);
}

function emitReturn(emitter: Emitter, { value }: Extract<Statement, { kind: "return" }>): void {
  if (emitter.scope.kind !== "function") throw new SyntaxFault("'return' outside function");
  emitOptional(emitter, value);
  for (const surrounding of emitter.surroundings.toReversed()) unwind(emitter, surrounding, true);
  emit(emitter, "return");
}

/** Undoes what surrounds a statement that jumps out; with a value to keep on the stack or without. */
function unwind(emitter: Emitter, surrounding: Surrounding, keepsValue: boolean): void {
  const place = emitter.surroundings.indexOf(surrounding);
  // What is compiled here is outside the surrounding that is being left.
  const inner = emitter.surroundings.splice(place);
  switch (surrounding.kind) {
    case "loop":
      if (surrounding.isFor && keepsValue) emit(emitter, "swap");
      if (surrounding.isFor) emit(emitter, "pop");
      break;
    case "try":
      emit(emitter, "endTry");
      break;
    case "finally":
      emit(emitter, "endTry");
      surrounding.body();
      break;
    case "handler":
      surrounding.cleanup();
      break;
    case "with":
      emit(emitter, "endTry");
      if (keepsValue) emit(emitter, "swap");
      emitWithExit(emitter);
      break;
  }
  emitter.surroundings.push(...inner);
}

function emitLeave(emitter: Emitter, kind: "break" | "continue"): void {
  const { surroundings } = emitter;
  const loopIndex = surroundings.findLastIndex((surrounding) => surrounding.kind === "loop");
  const loop = surroundings[loopIndex];
  if (loop?.kind !== "loop") {
    throw new SyntaxFault(kind === "break" ? "'break' outside loop" : "'continue' not properly in loop");
  }
  for (const surrounding of surroundings.slice(loopIndex + 1).toReversed()) unwind(emitter, surrounding, false);
  if (kind === "continue") {
    emit(emitter, "jumpBack", loop.start);
    return;
  }
  if (loop.isFor) emit(emitter, "pop");
  loop.breaks.push(emit(emitter, "jump"));
}

function emitIf(emitter: Emitter, { test, whenTrue, otherwise }: Extract<Statement, { kind: "if" }>): void {
  emitExpression(emitter, test);
  const toOtherwise = emit(emitter, "popJumpIfFalse");
  emitBlock(emitter, whenTrue);
  if (otherwise.length === 0) {
    land(emitter, toOtherwise);
    return;
  }
  const end = emit(emitter, "jump");
  land(emitter, toOtherwise);
  emitBlock(emitter, otherwise);
  land(emitter, end);
}

function emitWhile(emitter: Emitter, { test, body, otherwise }: Extract<Statement, { kind: "while" }>): void {
  const start = here(emitter);
  emitExpression(emitter, test);
  const exit = emit(emitter, "popJumpIfFalse");
  const breaks = emitLoopBody(emitter, body, { start, isFor: false });
  land(emitter, exit);
  emitBlock(emitter, otherwise);
  for (const jump of breaks) land(emitter, jump);
}

function emitFor(emitter: Emitter, { target, iterable, body, otherwise }: Extract<Statement, { kind: "for" }>): void {
  emitExpression(emitter, iterable);
  emit(emitter, "iterate");
  const start = here(emitter);
  const exit = emit(emitter, "forNext");
  emitStore(emitter, target, emitExpression);
  const breaks = emitLoopBody(emitter, body, { start, isFor: true });
  land(emitter, exit);
  emitBlock(emitter, otherwise);
  for (const jump of breaks) land(emitter, jump);
}

function emitLoopBody(emitter: Emitter, body: Block, { start, isFor }: { start: number; isFor: boolean }): number[] {
  const loop: Surrounding = { kind: "loop", start, breaks: [], isFor };
  emitter.surroundings.push(loop);
  emitBlock(emitter, body);
  emitter.surroundings.pop();
  emit(emitter, "jumpBack", start);
  return loop.breaks;
}

function emitRaise(emitter: Emitter, { value, cause }: Extract<Statement, { kind: "raise" }>): void {
  if (value !== undefined) emitExpression(emitter, value);
  if (cause !== undefined) emitExpression(emitter, cause);
  emit(emitter, "raise", (value === undefined ? 0 : 1) + (cause === undefined ? 0 : 1));
}

function emitAssert(emitter: Emitter, { test, message }: Extract<Statement, { kind: "assert" }>): void {
  emitExpression(emitter, test);
  const end = emit(emitter, "popJumpIfTrue");
  if (message !== undefined) emitExpression(emitter, message);
  emit(emitter, "failAssertion", message === undefined ? 0 : 1);
  land(emitter, end);
}

function emitDefinition(emitter: Emitter, statement: Extract<Statement, { kind: "def" }>): void {
  for (const decorator of statement.decorators) emitExpression(emitter, decorator);
  const inner = openFunction(emitter, statement, statement);
  emitBlock(inner, statement.body);
  emitConstant(inner, null);
  emit(inner, "return");
  emitFunction(emitter, inner, statement.parameters);
  for (let i = 0; i < statement.decorators.length; i++) emit(emitter, "call", 1);
  emitVariable(emitter, "store", statement.name);
}

/** The body runs as a function of its own, whose names become the members. */
function emitClass(emitter: Emitter, statement: Extract<Statement, { kind: "class" }>): void {
  for (const decorator of statement.decorators) emitExpression(emitter, decorator);
  const inner = openFunction(emitter, statement, { name: statement.name, parameters: undefined });
  emitBlock(inner, statement.body);
  emitConstant(inner, null);
  emit(inner, "return");
  emitFunction(emitter, inner, undefined);
  const bases = statement.args.filter(({ kind }) => kind === "positional");
  for (const { value } of bases) emitExpression(emitter, value);
  emit(emitter, "makeClass", bases.length);
  for (let i = 0; i < statement.decorators.length; i++) emit(emitter, "call", 1);
  emitVariable(emitter, "store", statement.name);
}

function emitTry(emitter: Emitter, statement: Extract<Statement, { kind: "try" }>): void {
  if (statement.cleanup.length === 0) {
    emitGuarded(emitter, statement);
    return;
  }
  const toCleanup = emit(emitter, "setUpTry");
  emitter.surroundings.push({ kind: "finally", body: () => emitBlock(emitter, statement.cleanup) });
  emitGuarded(emitter, statement);
  emitter.surroundings.pop();
  emit(emitter, "endTry");
  emitBlock(emitter, statement.cleanup);
  const end = emit(emitter, "jump");
  land(emitter, toCleanup);
  emitter.surroundings.push({ kind: "handler", cleanup: () => emit(emitter, "endHandler") });
  emitBlock(emitter, statement.cleanup);
  emitter.surroundings.pop();
  emit(emitter, "reraise");
  land(emitter, end);
}

/** Body, handlers and what follows where nothing was raised. */
function emitGuarded(emitter: Emitter, { body, handlers, otherwise }: Extract<Statement, { kind: "try" }>): void {
  if (handlers.length === 0) {
    emitBlock(emitter, body);
    return;
  }
  const toHandlers = emit(emitter, "setUpTry");
  emitter.surroundings.push({ kind: "try" });
  emitBlock(emitter, body);
  emitter.surroundings.pop();
  emit(emitter, "endTry");
  emitBlock(emitter, otherwise);
  const ends = [emit(emitter, "jump")];
  land(emitter, toHandlers);
  for (const [i, handler] of handlers.entries()) {
    if (handler.type === undefined && i < handlers.length - 1) throw new SyntaxFault("default 'except:' must be last");
    const next = emitHandler(emitter, handler);
    ends.push(emit(emitter, "jump"));
    if (next !== undefined) land(emitter, next);
  }
  if (handlers.at(-1)?.type !== undefined) emit(emitter, "reraise");
  for (const end of ends) land(emitter, end);
}

/** The jump to take where the exception is of another type. */
function emitHandler(emitter: Emitter, { type, name, body }: Handler): number | undefined {
  let next: number | undefined;
  if (type !== undefined) {
    emitExpression(emitter, type);
    next = emit(emitter, "matchException");
  }
  if (name === undefined) {
    emitter.surroundings.push({ kind: "handler", cleanup: () => emit(emitter, "endHandler") });
    emitBlock(emitter, body);
    emitter.surroundings.pop();
    emit(emitter, "endHandler");
    return next;
  }
  emitNamedBody(emitter, name, body);
  return next;
}

/** `except E as name:` forgets the name afterwards, however the body is left. */
function emitNamedBody(emitter: Emitter, name: string, body: Block): void {
  const forget = (): void => {
    emitConstant(emitter, null);
    emitVariable(emitter, "store", name);
    emitVariable(emitter, "delete", name);
  };
  emit(emitter, "duplicateException");
  emitVariable(emitter, "store", name);
  const failed = emit(emitter, "setUpTry");
  const cleanup = (): void => {
    emit(emitter, "endTry");
    forget();
    emit(emitter, "endHandler");
  };
  emitter.surroundings.push({ kind: "handler", cleanup });
  emitBlock(emitter, body);
  emitter.surroundings.pop();
  cleanup();
  const end = emit(emitter, "jump");
  land(emitter, failed);
  forget();
  emit(emitter, "reraise");
  land(emitter, end);
}

type WithItems = Extract<Statement, { kind: "with" }>["items"];

function emitWith(emitter: Emitter, items: WithItems, body: Block): void {
  const [item, ...rest] = items;
  if (item === undefined) {
    emitBlock(emitter, body);
    return;
  }
  emitExpression(emitter, item.context);
  emit(emitter, "enterWith");
  if (item.target === undefined) emit(emitter, "pop");
  else emitStore(emitter, item.target, emitExpression);
  const failed = emit(emitter, "setUpTry");
  emitter.surroundings.push({ kind: "with" });
  emitWith(emitter, rest, body);
  emitter.surroundings.pop();
  emit(emitter, "endTry");
  emitWithExit(emitter);
  const end = emit(emitter, "jump");
  land(emitter, failed);
  emit(emitter, "exitWith", 1);
  land(emitter, end);
}

function emitWithExit(emitter: Emitter): void {
  emit(emitter, "exitWith", 0);
}

function emitImports(emitter: Emitter, statement: Statement): void {
  if (statement.kind === "import") {
    for (const { name, as } of statement.modules) {
      emit(emitter, "import", nameIndex(emitter, name));
      emitVariable(emitter, "store", as ?? name.split(".")[0] ?? name);
    }
    return;
  }
  if (statement.kind !== "importFrom") throw new Error(`no rule for ${statement.kind}`);
  emit(emitter, "import", nameIndex(emitter, statement.module));
  for (const { name, as } of statement.names) {
    if (name === "*") {
      emit(emitter, "importStar");
      continue;
    }
    emit(emitter, "importFrom", nameIndex(emitter, name));
    emitVariable(emitter, "store", as ?? name);
  }
  emit(emitter, "pop");
}
