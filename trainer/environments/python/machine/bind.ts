import type { Code } from "../compile/code.ts";
import { makeDict, putItem } from "../values/dicts.ts";
import { raise } from "../values/errors.ts";
import { toTuple, type FunctionValue, type Keywords, type Value } from "../values/value.ts";

type Locals = (Value | undefined)[];

/** The locals a call starts with: parameters first, in their order. Complains in CPython's words. */
export function bindArguments(callee: FunctionValue, code: Code, args: readonly Value[], keywords: Keywords): Locals {
  const { numPositional, numKeywordOnly, hasRest, hasKeywordRest } = code.parameters;
  const isPlain = keywords.size === 0 && numKeywordOnly === 0 && !hasRest && !hasKeywordRest;
  if (isPlain && args.length === numPositional) return args.slice();
  const locals: Locals = args.slice(0, numPositional);
  locals.length = numPositional;
  const extra = args.slice(numPositional);
  const restIndex = numPositional + numKeywordOnly;
  const spare = makeDict();
  for (const [name, value] of keywords) bindKeyword({ callee, code, locals, hasKeywordRest }, name, { value, spare });
  if (extra.length > 0 && !hasRest) throw tooMany(callee, code, args.length, locals);
  fillDefaults(callee, code, locals);
  if (hasRest) locals[restIndex] = toTuple(extra);
  if (hasKeywordRest) locals[restIndex + (hasRest ? 1 : 0)] = spare;
  return locals;
}

type Binding = { callee: FunctionValue; code: Code; locals: Locals; hasKeywordRest: boolean };

function bindKeyword(
  { callee, code, locals, hasKeywordRest }: Binding,
  name: string,
  { value, spare }: { value: Value; spare: ReturnType<typeof makeDict> },
): void {
  const { numPositional, numKeywordOnly, numPositionalOnly } = code.parameters;
  const index = code.locals.indexOf(name);
  if (index >= numPositionalOnly && index < numPositional + numKeywordOnly) {
    if (locals[index] !== undefined)
      throw raise("TypeError", `${callee.title}() got multiple values for argument '${name}'`);
    locals[index] = value;
    return;
  }
  if (hasKeywordRest) {
    putItem(spare, name, value);
    return;
  }
  if (index >= 0 && index < numPositionalOnly) {
    throw raise(
      "TypeError",
      `${callee.title}() got some positional-only arguments passed as keyword arguments: '${name}'`,
    );
  }
  throw raise("TypeError", `${callee.title}() got an unexpected keyword argument '${name}'`);
}

function fillDefaults(callee: FunctionValue, code: Code, locals: Locals): void {
  const { numPositional, numKeywordOnly } = code.parameters;
  const firstDefault = numPositional - callee.defaults.length;
  const missing: string[] = [];
  for (let i = 0; i < numPositional; i++) {
    if (locals[i] !== undefined) continue;
    if (i >= firstDefault) locals[i] = callee.defaults[i - firstDefault];
    else missing.push(code.locals[i] ?? "");
  }
  if (missing.length > 0) throw missingArguments(callee, "positional", missing);
  for (let i = numPositional; i < numPositional + numKeywordOnly; i++) {
    const name = code.locals[i] ?? "";
    if (locals[i] === undefined) locals[i] = callee.keywordDefaults.get(name);
    if (locals[i] === undefined) missing.push(name);
  }
  if (missing.length > 0) throw missingArguments(callee, "keyword-only", missing);
}

function missingArguments({ title }: FunctionValue, kind: string, names: readonly string[]) {
  const quoted = names.map((name) => `'${name}'`);
  const plural = names.length === 1 ? "" : "s";
  return raise(
    "TypeError",
    `${title}() missing ${names.length} required ${kind} argument${plural}: ${enumerate(quoted)}`,
  );
}

/** `'a'`, `'a' and 'b'`, `'a', 'b', and 'c'` */
function enumerate(names: readonly string[]): string {
  if (names.length < 3) return names.join(" and ");
  return `${names.slice(0, -1).join(", ")}, and ${names.at(-1) ?? ""}`;
}

function tooMany({ title, defaults }: FunctionValue, { parameters }: Code, numGiven: number, locals: Locals) {
  const { numPositional, numKeywordOnly } = parameters;
  const takes =
    defaults.length > 0 ? `from ${numPositional - defaults.length} to ${numPositional}` : `${numPositional}`;
  const plural = numPositional === 1 && defaults.length === 0 ? "" : "s";
  const numKeywords = locals
    .slice(numPositional, numPositional + numKeywordOnly)
    .filter((value) => value !== undefined).length;
  const detail =
    numKeywords === 0
      ? ""
      : ` positional argument${numGiven === 1 ? "" : "s"} (and ${numKeywords} keyword-only argument${numKeywords === 1 ? "" : "s"})`;
  const verb = numGiven === 1 && numKeywords === 0 ? "was" : "were";
  return raise(
    "TypeError",
    `${title}() takes ${takes} positional argument${plural} but ${numGiven}${detail} ${verb} given`,
  );
}
