import type { BugFamily, HeldOutFamily } from "#trainer/spec/environments/sweGym.ts";
import { closingOf, splitArguments } from "./brackets.ts";

export type Scope = {
  readonly variables: ReadonlySet<string>;
  /** Returns variables that could replace the one at word `at`: they have a value there, and the same kind if known. */
  alternatives(words: readonly string[], at: number): readonly string[];
};
type Words = readonly string[];
/** Returns every variant of a line of code that contains one bug of a family. */
type Mutator = (words: Words, scope: Scope) => readonly Words[];

export const mutators: Readonly<Record<BugFamily | HeldOutFamily, Mutator>> = {
  off_by_one: (words) => [
    ...swapWords(words, { "<": "<=", "<=": "<", ">": ">=", ">=": ">" }),
    ...eachIndex(words, (word, i) => {
      const isStep = (word === "+" || word === "-") && words[i + 1] === "1" && isOperand(words[i - 1]);
      return isStep ? [words.toSpliced(i, 2)] : [];
    }),
    ...(words[1] === "=" && words[2] === "0" ? [words.with(2, "1")] : []),
    ...shiftRange(words),
    ...shiftSlice(words),
    ...shortenLength(words),
  ],
  wrong_operator: (words) => [
    ...swapWords(words, {
      "+": "-",
      "-": "+",
      "*": "/",
      "/": "*",
      "//": "/",
      "+=": "-=",
      "-=": "+=",
      and: "or",
      or: "and",
    }),
    ...swapWords(words, { "+": "*", "*": "+", "//": "%", "%": "//", "+=": "*=", "*=": "+=" }),
  ],
  flipped_comparison: (words) => [
    ...swapWords(words, { "<": ">", ">": "<", "<=": ">=", ">=": "<=", "==": "!=", "!=": "==" }),
    ...eachIndex(words, (word, i) => (word === "not" ? [words.toSpliced(i, 1)] : [])),
    ...eachIndex(words, (word, i) =>
      word === "is" && words[i + 1] !== "not" ? [words.toSpliced(i + 1, 0, "not")] : [],
    ),
  ],
  wrong_constant: (words) =>
    eachIndex(words, (word, i) => (otherConstants.get(word) ?? []).map((other) => words.with(i, other))),
  swapped_arguments: (words) =>
    eachCall(words, (start, args) => {
      const [first, second] = args;
      if (first === undefined || second === undefined || !isPositional(first) || !isPositional(second)) return [];
      const swapped = [second, first, ...args.slice(2)].flatMap((arg, i) => (i === 0 ? [...arg] : [",", ...arg]));
      return [words.toSpliced(start + 1, closingOf(words, start) - start - 1, ...swapped)];
    }),
  missing_guard: (words) =>
    [dropOperand, dropChoice, dropFilter, dropBound, dropFallback].flatMap((drop) => drop(words)),
  wrong_variable: (words, scope) =>
    eachIndex(words, (_, i) => scope.alternatives(words, i).map((other) => words.with(i, other))),
  wrong_default: (words) => [
    ...(words[1] === "=" && /^\d+$/.test(words[2] ?? "") ? [words.with(2, words[2] === "0" ? "2" : "0")] : []),
    ...eachFallback(words, (at) => (words[at] === "[" ? [] : [words.with(at, words[at] === "0" ? "1" : "0")])),
  ],
  missing_update: (words) => [
    ...swapWords(words, { "+=": "=", "-=": "=", "*=": "=" }),
    ...swapWords(words, { "+=": "+", "-=": "-", "*=": "*" }),
    ...forgetCall(words),
    ...dropUnpacking(words),
  ],
  missing_return: (words) => (words[0] === "return" ? [words.slice(1)] : []),
  wrong_callee: (words) => swapWords(words, otherCallees),
};

const otherCallees: Readonly<Record<string, string>> = {
  max: "min",
  min: "max",
  all: "any",
  any: "all",
  len: "sum",
  list: "len",
  range: "list",
  ".append": ".extend",
  ".values": ".keys",
  ".keys": ".values",
};

/** Words that buggy lines can contain and correct functions may lack, for the small policy's vocabulary. */
export const mutationWords = [
  ..."< <= > >= == != + - * / // % and or not is += -= *= =".split(" "),
  ...Object.values(otherCallees),
  ..."0 1 2 3".split(" "),
] as const;

function eachIndex(words: Words, mutate: (word: string, i: number) => readonly Words[]): readonly Words[] {
  return words.flatMap((word, i) => mutate(word, i));
}

function swapWords(words: Words, swaps: Readonly<Record<string, string>>): readonly Words[] {
  return eachIndex(words, (word, i) => {
    const other = Object.hasOwn(swaps, word) ? swaps[word] : undefined;
    const isUnary = (word === "-" || word === "*") && !isOperand(words[i - 1]);
    return other === undefined || isUnary ? [] : [words.with(i, other)];
  });
}

/** Inserts a bug: changes `range(n)` to `range(1, n)` or `range(n - 1)`, or `enumerate(xs)` to `enumerate(xs, 1)`. */
function shiftRange(words: Words): readonly Words[] {
  return eachCall(words, (start, args) => {
    const [name, end] = [words[start - 1], closingOf(words, start)];
    if (name === "enumerate" && args.length === 1) return [words.toSpliced(end, 0, ",", "1")];
    if (name !== "range") return [];
    const isFromZero = args.length === 1 ? [words.toSpliced(start + 1, 0, "1", ",")] : [];
    const stop = args.length === 1 ? end : start + 2 + args.slice(0, 2).flat().length;
    return [...isFromZero, words.toSpliced(stop, 0, "-", "1")];
  });
}

/** Inserts a bug: changes `xs[a:b]` to `xs[a + 1:b]` or `xs[a:b + 1]`. */
function shiftSlice(words: Words): readonly Words[] {
  return eachIndex(words, (word, i) => {
    const end = word === "[" && isOperand(words[i - 1]) ? closingOf(words, i) : -1;
    const colon = end < 0 ? -1 : words.slice(i, end).indexOf(":");
    const ends = colon < 0 ? [] : [i + colon, end];
    return ends.flatMap((at) => (isOperand(words[at - 1]) ? [words.toSpliced(at, 0, "+", "1")] : []));
  });
}

/** Inserts a bug: changes `len(xs)` to `len(xs) - 1`, in parentheses if an operator before it binds more tightly. */
function shortenLength(words: Words): readonly Words[] {
  return eachCall(words, (start) => {
    const end = closingOf(words, start) + 1;
    if (words[start - 1] !== "len" || (words[end] === "-" && words[end + 1] === "1")) return [];
    const length = [...words.slice(start - 1, end), "-", "1"];
    const isBound = ["*", "/", "//", "%", "-"].includes(words[start - 2] ?? "");
    return [words.toSpliced(start - 1, end - start + 1, ...(isBound ? ["(", ...length, ")"] : length))];
  });
}

/** Inserts a bug: removes the call from a line `xs.append(x)`, so that the line has no effect. */
function forgetCall(words: Words): readonly Words[] {
  const isStatement = words[2] === "(" && (words[1] ?? "").startsWith(".");
  return isStatement && closingOf(words, 2) === words.length - 1 ? [words.slice(0, 2)] : [];
}

/** Inserts a bug that loses entries: changes `[*xs, x]` to `[x]`, or `{**a, **b}` to `{**a}` or `{**b}`. */
function dropUnpacking(words: Words): readonly Words[] {
  return eachIndex(words, (word, i) => {
    const isDisplay = (word === "[" || word === "{") && !isOperand(words[i - 1]);
    const items = isDisplay ? splitArguments(words.slice(i + 1, closingOf(words, i))) : [];
    return items.flatMap(([first], k) => {
      if (items.length < 2 || (first !== "*" && first !== "**")) return [];
      const kept = items.toSpliced(k, 1).flatMap((item, n) => (n === 0 ? [...item] : [",", ...item]));
      return [words.toSpliced(i + 1, closingOf(words, i) - i - 1, ...kept)];
    });
  });
}

/** Returns the variants of a line that `mutate` gives for each call, found as an opening parenthesis after a name. */
function eachCall(words: Words, mutate: (start: number, args: readonly Words[]) => readonly Words[]): readonly Words[] {
  return eachIndex(words, (word, i) => {
    const end = word === "(" && isOperand(words[i - 1]) ? closingOf(words, i) : -1;
    return end < 0 ? [] : mutate(i, splitArguments(words.slice(i + 1, end)));
  });
}

/** True for a positional argument, which excludes unpackings, keyword arguments and generators. */
function isPositional(arg: Words): boolean {
  return arg[0] !== "*" && arg[0] !== "**" && arg[1] !== "=" && !arg.includes("for");
}

/** Returns the variants for each default value in a call: the second argument of `.get`, or `default=`. */
function eachFallback(words: Words, mutate: (at: number) => readonly Words[]): readonly Words[] {
  return eachIndex(words, (word, i) => {
    if (word === "default" && words[i + 1] === "=") return mutate(i + 2);
    if (word !== ".get" || words[i + 1] !== "(") return [];
    const [first, second] = splitArguments(words.slice(i + 2, closingOf(words, i + 1)));
    return first === undefined || second === undefined ? [] : mutate(i + 3 + first.length);
  });
}

const otherConstants: ReadonlyMap<string, readonly string[]> = new Map([
  ["0", ["1", "2"]],
  ["1", ["0", "2"]],
  ["2", ["3"]],
  ["3", ["2"]],
  ["400", ["500"]],
  ["500", ["400"]],
  ["'any'", ["'none'"]],
  ["'none'", ["'any'"]],
  ["'yes'", ["'none'"]],
]);

/** Inserts a bug: changes `a and b` (or `a or b`) to `a` or `b`. */
function dropOperand(words: Words): readonly Words[] {
  return eachIndex(words, (word, i) => {
    if (word !== "and" && word !== "or") return [];
    const [start, end] = [startOf(words, i), endOf(words, i)];
    return [words.toSpliced(i, end - i), words.toSpliced(start, i + 1 - start)];
  });
}

function dropChoice(words: Words): readonly Words[] {
  return eachIndex(words, (word, i) => {
    const otherwise = word === "if" && i > 0 ? closingChoice(words, i) : -1;
    if (otherwise < 0) return [];
    const [start, end] = [startOf(words, i), endOf(words, otherwise)];
    const [first, second] = [words.slice(start, i), words.slice(otherwise + 1, end)];
    return [first, second].map((kept) => words.toSpliced(start, end - start, ...kept));
  });
}

/** Inserts a bug: changes `[x for x in xs if c]` to `[x for x in xs]`. */
function dropFilter(words: Words): readonly Words[] {
  return eachIndex(words, (word, i) => {
    const isFilter = word === "if" && i > 0 && closingChoice(words, i) < 0;
    return isFilter ? [words.toSpliced(i, endOf(words, i) - i)] : [];
  });
}

/** Returns the index of the `else` of the conditional expression whose `if` is at `at`, or -1. */
function closingChoice(words: Words, at: number): number {
  const found = words.slice(at, endOf(words, at)).indexOf("else");
  return found < 0 ? -1 : at + found;
}

/** Inserts a bug: changes `max(x, y)` or `min(x, y)` to `x`, or to `y` if `x` is 0. */
function dropBound(words: Words): readonly Words[] {
  return eachCall(words, (start, args) => {
    const isBound = (words[start - 1] === "max" || words[start - 1] === "min") && args.length === 2;
    const kept = args.every(isPositional) ? args.find((arg) => arg[0] !== "0") : undefined;
    if (!isBound || kept === undefined) return [];
    return [words.toSpliced(start - 1, closingOf(words, start) - start + 2, ...kept)];
  });
}

/** Inserts a bug: changes `.get(key, x)` to `.get(key)`, or `max(xs, default=0)` to `max(xs)`. */
function dropFallback(words: Words): readonly Words[] {
  return eachFallback(words, (at) => {
    const comma = words.lastIndexOf(",", at);
    return [words.toSpliced(comma, endOf(words, at - 1) - comma)];
  });
}

/** Returns the index of the first word of the expression around the operator at `at`. */
function startOf(words: Words, at: number): number {
  for (let i = at - 1, depth = 0; i >= 0; i--) {
    const word = words[i] ?? "";
    if (word === ")" || word === "]" || word === "}") depth++;
    if (word === "(" || word === "[" || word === "{") depth--;
    if (depth < 0 || (depth === 0 && starters.has(word))) return i + 1;
  }
  return 0;
}

const starters = new Set(["return", "=", "if", "else", "while", ","]);

/** Returns the index after the last word of the expression around the operator at `at`. */
function endOf(words: Words, at: number): number {
  for (let i = at + 1, depth = 0; i < words.length; i++) {
    const word = words[i] ?? "";
    if (word === "(" || word === "[" || word === "{") depth++;
    if (word === ")" || word === "]" || word === "}") depth--;
    if (depth < 0 || (depth === 0 && enders.has(word))) return i;
  }
  return words.length;
}

const enders = new Set([":", ",", "for"]);
const controls = new Set("if elif else for while return in is not and or".split(" "));

function isOperand(word: string | undefined): boolean {
  return word !== undefined && (/^[.\w']+$/.test(word) || word === ")" || word === "]") && !controls.has(word);
}
