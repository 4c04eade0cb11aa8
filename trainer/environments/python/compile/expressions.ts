import type { Argument, Comparison, Comprehension, Expression, JoinedPart, Parameters } from "../syntax/ast.ts";
import { SyntaxFault } from "../syntax/token.ts";
import { toFloat, type Value } from "../values/value.ts";
import { ellipsis } from "../values/value.ts";
import { toInt } from "../values/integers.ts";
import type { Op } from "./code.ts";
import {
  emit,
  emitConstant,
  emitVariable,
  here,
  land,
  localIndex,
  makeEmitter,
  nameIndex,
  type Emitter,
} from "./emitter.ts";
import { emitStore } from "./targets.ts";
import { parameterNames } from "./walk.ts";

/** Leaves the value of an expression on the stack. */
export function emitExpression(emitter: Emitter, expression: Expression): void {
  switch (expression.kind) {
    case "number":
      emitConstant(emitter, parseNumber(expression.text));
      return;
    case "string":
      emitConstant(emitter, expression.value);
      return;
    case "constant":
      emitConstant(emitter, constants[expression.value]);
      return;
    case "name":
      emitVariable(emitter, "load", expression.id);
      return;
    case "joined":
      emitJoined(emitter, expression.parts);
      return;
    case "tuple":
    case "list":
    case "set":
      emitDisplay(emitter, expression);
      return;
    case "dict":
      emitDict(emitter, expression.entries);
      return;
    case "unary":
      emitExpression(emitter, expression.operand);
      emit(emitter, unaryOps[expression.operator]);
      return;
    case "binary":
      emitExpression(emitter, expression.left);
      emitExpression(emitter, expression.right);
      emitBinary(emitter, expression.operator);
      return;
    default:
      emitCompound(emitter, expression);
  }
}

function emitCompound(emitter: Emitter, expression: Expression): void {
  switch (expression.kind) {
    case "compare":
      emitComparison(emitter, expression);
      return;
    case "logical":
      emitLogical(emitter, expression);
      return;
    case "conditional":
      emitConditional(emitter, expression);
      return;
    case "lambda":
      emitLambda(emitter, expression);
      return;
    case "call":
      emitExpression(emitter, expression.callee);
      emitArguments(emitter, expression.args);
      return;
    case "attribute":
      emitExpression(emitter, expression.object);
      emit(emitter, "loadAttribute", nameIndex(emitter, expression.name));
      return;
    case "subscript":
      emitExpression(emitter, expression.object);
      emitExpression(emitter, expression.index);
      emit(emitter, "subscript");
      return;
    case "slice":
      for (const part of [0, 1, 2].map((i) => expression.parts[i])) emitOptional(emitter, part);
      emit(emitter, "makeSlice");
      return;
    case "named":
      emitExpression(emitter, expression.value);
      emit(emitter, "duplicate");
      emitVariable(emitter, "store", expression.target.id);
      return;
    case "comprehension":
      emitComprehension(emitter, expression);
      return;
    default:
      emitRest(emitter, expression);
  }
}

function emitRest(emitter: Emitter, expression: Expression): void {
  switch (expression.kind) {
    case "yield":
      if (emitter.scope.kind !== "function") throw new SyntaxFault("'yield' outside function");
      emitOptional(emitter, expression.value);
      if (expression.isFrom) {
        emit(emitter, "iterate");
        emitConstant(emitter, null);
      }
      emit(emitter, expression.isFrom ? "yieldFrom" : "yield");
      return;
    case "starred":
      throw new SyntaxFault("can't use starred expression here");
    case "await":
      throw new SyntaxFault("'await' outside function");
    case "bytes":
      throw new SyntaxFault("bytes literals are not supported");
    default:
      throw new Error(`no rule for ${expression.kind}`);
  }
}

export function emitOptional(emitter: Emitter, expression: Expression | undefined): void {
  if (expression === undefined) emitConstant(emitter, null);
  else emitExpression(emitter, expression);
}

const constants = { True: true, False: false, None: null, "...": ellipsis } as const;
const unaryOps = { "+": "unaryPlus", "-": "unaryMinus", "~": "unaryInvert", not: "not" } as const;
const fastOps: Readonly<Record<string, Op>> = {
  "+": "add",
  "-": "subtract",
  "*": "multiply",
  "%": "modulo",
  "//": "floorDivide",
};
/** Operators by number, as the instructions `binary` and `augment` name them. */
export const binaryOperators = ["+", "-", "*", "/", "//", "%", "**", "@", "<<", ">>", "&", "|", "^"] as const;
export const comparisons = ["<", "<=", ">", ">=", "==", "!=", "in", "not in", "is", "is not"] as const;

function emitBinary(emitter: Emitter, operator: (typeof binaryOperators)[number]): void {
  const fast = fastOps[operator];
  if (fast === undefined) emit(emitter, "binary", binaryOperators.indexOf(operator));
  else emit(emitter, fast);
}

function parseNumber(text: string): Value {
  const plain = text.replaceAll("_", "").toLowerCase();
  if (plain.endsWith("j")) return { kind: "complex", real: 0, imaginary: Number(plain.slice(0, -1)) };
  if (/^0[xob]/.test(plain)) return toInt(BigInt(plain));
  if (/[.e]/.test(plain)) return toFloat(Number(plain));
  if (plain.length > 4300) {
    throw new SyntaxFault(
      "Exceeds the limit (4300 digits) for integer string conversion: value has " +
        `${plain.length} digits; use sys.set_int_max_str_digits() to increase the limit - Consider hexadecimal for huge integer literals to avoid decimal conversion limits.`,
    );
  }
  return toInt(BigInt(plain));
}

function emitJoined(emitter: Emitter, parts: readonly JoinedPart[]): void {
  for (const part of parts) {
    if (part.kind === "text") {
      emitConstant(emitter, part.value);
      continue;
    }
    emitExpression(emitter, part.value);
    if (part.format !== undefined) emitJoined(emitter, part.format);
    emit(emitter, "format", " sra".indexOf(part.conversion || " ") * 2 + (part.format === undefined ? 0 : 1));
  }
  emit(emitter, "makeText", parts.length);
}

type Display = Extract<Expression, { elements: readonly Expression[] }>;

function emitDisplay(emitter: Emitter, { kind, elements }: Display): void {
  if (!elements.some((element) => element.kind === "starred")) {
    const isConstantSet = kind === "set" && elements.length >= 3 && elements.every(isConstant);
    // CPython fills such a set from one it made before, which changes the order of its items.
    if (isConstantSet) emit(emitter, "makeSet", 0);
    for (const element of elements) emitExpression(emitter, element);
    emit(emitter, kind === "tuple" ? "makeTuple" : kind === "list" ? "makeList" : "makeSet", elements.length);
    if (isConstantSet) emit(emitter, "updateSet", 1);
    return;
  }
  emit(emitter, kind === "set" ? "makeSet" : "makeList", 0);
  for (const element of elements) emitElement(emitter, element, kind === "set");
  if (kind === "tuple") emit(emitter, "listToTuple");
}

function isConstant(expression: Expression): boolean {
  if (expression.kind === "unary") return expression.operator !== "not" && isConstant(expression.operand);
  return expression.kind === "number" || expression.kind === "string" || expression.kind === "constant";
}

/** Into the list or set on top of the stack. */
function emitElement(emitter: Emitter, element: Expression, isSet: boolean): void {
  const isStarred = element.kind === "starred";
  emitExpression(emitter, isStarred ? element.value : element);
  if (isStarred) emit(emitter, isSet ? "updateSet" : "extendList");
  else emit(emitter, isSet ? "addSet" : "appendList", 1);
}

function emitDict(emitter: Emitter, entries: Extract<Expression, { kind: "dict" }>["entries"]): void {
  emit(emitter, "makeDict");
  for (const { key, value } of entries) {
    if (key !== undefined) emitExpression(emitter, key);
    emitExpression(emitter, value);
    emit(emitter, key === undefined ? "updateDict" : "putDict", 1);
  }
}

const fastComparisons: Partial<Record<Comparison, Op>> = { "<": "less", ">": "greater", "==": "equal" };

function emitCompareOp(emitter: Emitter, operator: Comparison): void {
  const fast = fastComparisons[operator];
  if (fast === undefined) emit(emitter, "compare", comparisons.indexOf(operator));
  else emit(emitter, fast);
}

/** a < b < c evaluates b once and stops at the first comparison that fails. */
function emitComparison(emitter: Emitter, { left, rest }: Extract<Expression, { kind: "compare" }>): void {
  emitExpression(emitter, left);
  const exits: number[] = [];
  for (const [i, { operator, right }] of rest.entries()) {
    emitExpression(emitter, right);
    if (i === rest.length - 1) {
      emitCompareOp(emitter, operator);
      break;
    }
    emit(emitter, "duplicate");
    emit(emitter, "rotateThree");
    emitCompareOp(emitter, operator);
    exits.push(emit(emitter, "jumpIfFalseOrPop"));
  }
  if (exits.length === 0) return;
  const end = emit(emitter, "jump");
  for (const exit of exits) land(emitter, exit);
  emit(emitter, "swap");
  emit(emitter, "pop");
  land(emitter, end);
}

function emitLogical(emitter: Emitter, { operator, operands }: Extract<Expression, { kind: "logical" }>): void {
  const exits: number[] = [];
  for (const [i, operand] of operands.entries()) {
    emitExpression(emitter, operand);
    if (i < operands.length - 1) exits.push(emit(emitter, operator === "and" ? "jumpIfFalseOrPop" : "jumpIfTrueOrPop"));
  }
  for (const exit of exits) land(emitter, exit);
}

function emitConditional(
  emitter: Emitter,
  { test, whenTrue, otherwise }: Extract<Expression, { kind: "conditional" }>,
): void {
  emitExpression(emitter, test);
  const toOtherwise = emit(emitter, "popJumpIfFalse");
  emitExpression(emitter, whenTrue);
  const end = emit(emitter, "jump");
  land(emitter, toOtherwise);
  emitExpression(emitter, otherwise);
  land(emitter, end);
}

/** The arguments of a call whose callee is on the stack, and the call. */
export function emitArguments(emitter: Emitter, args: readonly Argument[]): void {
  const keywords = args.filter(({ kind }) => kind === "keyword");
  const repeated = keywords.find(({ name }, i) => keywords.findIndex((other) => other.name === name) < i);
  if (repeated !== undefined) throw new SyntaxFault(`keyword argument repeated: ${repeated.name}`);
  if (args.some(({ kind }) => kind === "starred" || kind === "doubleStarred")) {
    emitSpread(emitter, args);
    return;
  }
  for (const { value } of args) emitExpression(emitter, value);
  if (keywords.length === 0) {
    emit(emitter, "call", args.length);
    return;
  }
  const list = emitter.code.keywordLists.push(keywords.map(({ name }) => name)) - 1;
  emitConstant(emitter, args.length);
  emit(emitter, "callKeywords", list);
}

function emitSpread(emitter: Emitter, args: readonly Argument[]): void {
  const isAlone = args.filter(({ kind }) => kind === "positional" || kind === "starred").length === 1;
  emit(emitter, "makeList", 0);
  for (const { kind, value } of args) {
    if (kind !== "positional" && kind !== "starred") continue;
    emitExpression(emitter, value);
    // What cannot be unpacked is complained of with the name of the function only where it is the only one.
    if (kind === "starred") emit(emitter, "extendList", isAlone ? 1 : 0);
    else emit(emitter, "appendList", 1);
  }
  emit(emitter, "makeDict");
  for (const { kind, name, value } of args) {
    if (kind === "keyword") emitConstant(emitter, name);
    else if (kind !== "doubleStarred") continue;
    emitExpression(emitter, value);
    if (kind === "keyword") emit(emitter, "putDict", 1);
    else emit(emitter, "mergeKeywords");
  }
  emit(emitter, "callSpread");
}

function emitLambda(emitter: Emitter, expression: Extract<Expression, { kind: "lambda" }>): void {
  const inner = openFunction(emitter, expression, { name: "<lambda>", parameters: expression.parameters });
  emitExpression(inner, expression.body);
  emit(inner, "return");
  emitFunction(emitter, inner, expression.parameters);
}

/** An emitter for the body of a function, its parameters declared. */
export function openFunction(
  outer: Emitter,
  node: object,
  { name, parameters }: { name: string; parameters: Parameters | undefined },
): Emitter {
  const scope = outer.scopes.get(node);
  if (scope === undefined) throw new Error(`no scope for ${name}`);
  const prefix =
    outer.scope.kind === "module" ? "" : `${outer.code.title}.${outer.scope.kind === "class" ? "" : "<locals>."}`;
  const inner = makeEmitter(outer.scopes, scope, { name, title: prefix + name });
  const names = parameters === undefined ? [] : parameterNames(parameters);
  for (const parameter of names) {
    const index = localIndex(inner, parameter);
    const cell = inner.code.cells.indexOf(parameter);
    if (cell !== -1 && cell < inner.code.numOwnCells) inner.code.cellSources[cell] = index;
  }
  if (parameters !== undefined) {
    inner.code.parameters = {
      numPositionalOnly: parameters.positionalOnly,
      numPositional: parameters.positional.length,
      numKeywordOnly: parameters.keywordOnly.length,
      hasRest: parameters.rest !== undefined,
      hasKeywordRest: parameters.keywordRest !== undefined,
    };
  }
  return inner;
}

/** Makes a function of a finished body: its default values on the stack, its cells taken along. */
export function emitFunction(outer: Emitter, inner: Emitter, parameters: Parameters | undefined): void {
  const defaults = (parameters?.positional ?? []).flatMap(({ defaultValue }) => defaultValue ?? []);
  for (const value of defaults) emitExpression(outer, value);
  emit(outer, "makeTuple", defaults.length);
  emit(outer, "makeDict");
  for (const { name, defaultValue } of parameters?.keywordOnly ?? []) {
    if (defaultValue === undefined) continue;
    emitConstant(outer, name);
    emitExpression(outer, defaultValue);
    emit(outer, "putDict", 1);
  }
  const { code } = inner;
  code.captures = code.cells.slice(code.numOwnCells).map((name) => outer.code.cells.indexOf(name));
  emit(outer, "makeFunction", outer.code.codes.push(code) - 1);
}

const comprehensionNames = {
  list: "<listcomp>",
  set: "<setcomp>",
  dict: "<dictcomp>",
  generator: "<genexpr>",
} as const;

/** A function of its own, called with the first iterable at once. */
function emitComprehension(emitter: Emitter, comprehension: Comprehension): void {
  const { form, clauses } = comprehension;
  const inner = openFunction(emitter, comprehension, { name: comprehensionNames[form], parameters: undefined });
  inner.code.isGenerator = form === "generator";
  inner.code.parameters.numPositional = 1;
  localIndex(inner, ".0");
  if (form === "list") emit(inner, "makeList", 0);
  if (form === "set") emit(inner, "makeSet", 0);
  if (form === "dict") emit(inner, "makeDict");
  emitClauses(inner, comprehension, 0);
  if (form === "generator") emitConstant(inner, null);
  emit(inner, "return");
  emitFunction(emitter, inner, undefined);
  emitOptional(emitter, clauses[0]?.iterable);
  emit(emitter, "iterate");
  emit(emitter, "call", 1);
}

function emitClauses(emitter: Emitter, comprehension: Comprehension, depth: number): void {
  const clause = comprehension.clauses[depth];
  if (clause === undefined) {
    emitYielded(emitter, comprehension);
    return;
  }
  if (depth === 0) emit(emitter, "loadLocal", 0);
  else {
    emitExpression(emitter, clause.iterable);
    emit(emitter, "iterate");
  }
  const start = here(emitter);
  const exit = emit(emitter, "forNext");
  emitStore(emitter, clause.target, emitExpression);
  for (const condition of clause.conditions) {
    emitExpression(emitter, condition);
    emit(emitter, "popJumpIfFalse", start);
  }
  emitClauses(emitter, comprehension, depth + 1);
  emit(emitter, "jumpBack", start);
  land(emitter, exit);
}

function emitYielded(emitter: Emitter, { form, element, value, clauses }: Comprehension): void {
  emitExpression(emitter, element);
  if (form === "generator") {
    emit(emitter, "yield");
    emit(emitter, "pop");
    return;
  }
  if (value !== undefined) emitExpression(emitter, value);
  emit(emitter, form === "list" ? "appendList" : form === "set" ? "addSet" : "putDict", clauses.length + 1);
}
