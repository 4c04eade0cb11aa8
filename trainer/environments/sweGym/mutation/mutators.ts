import type { BugFamily, HeldOutFamily } from "#trainer/spec/environments/sweGym.ts";
import { closingOf, splitArguments } from "./brackets.ts";

export type Scope = {
  /** Everything that is a variable somewhere in the function. */
  readonly variables: ReadonlySet<string>;
  /** What else could stand where this line has a variable: known there, and of the same kind where kinds are known. */
  alternatives(words: readonly string[], at: number): readonly string[];
};
type Words = readonly string[];
/** Every variant of a line that has one bug of the family. */
type Mutator = (words: Words, scope: Scope) => readonly Words[];

export const mutators: Readonly<Record<BugFamily | HeldOutFamily, Mutator>> = {
  off_by_one: (words) => [
    ...swapWords(words, { "<": "<=", "<=": "<", ">": ">=", ">=": ">" }),
    ...eachIndex(words, (word, i) => {
      const isStep = (word === "+" || word === "-") && words[i + 1] === "1" && isOperand(words[i - 1]);
      return isStep ? [words.toSpliced(i, 2)] : [];
    }),
    ...(words[1] === "=" && words[2] === "0" ? [words.with(2, "1")] : []),
  ],
  wrong_operator: (words) =>
    swapWords(words, {
      "+": "-",
      "-": "+",
      "*": "/",
      "/": "*",
      "//": "/",
      and: "or",
      or: "and",
      "+=": "-=",
      "-=": "+=",
    }),
  flipped_comparison: (words) => [
    ...swapWords(words, { "<": ">", ">": "<", "<=": ">=", ">=": "<=", "==": "!=", "!=": "==" }),
    ...eachIndex(words, (word, i) => (word === "not" ? [words.toSpliced(i, 1)] : [])),
    ...eachIndex(words, (word, i) =>
      word === "is" && words[i + 1] !== "not" ? [words.toSpliced(i + 1, 0, "not")] : [],
    ),
  ],
  wrong_constant: (words) => eachIndex(words, (word, i) => otherConstants(word).map((other) => words.with(i, other))),
  swapped_arguments: (words) =>
    eachCall(words, (start, args) => {
      const [first, second] = args;
      if (first === undefined || second === undefined || !isPositional(first) || !isPositional(second)) return [];
      const swapped = [second, first, ...args.slice(2)].flatMap((arg, i) => (i === 0 ? [...arg] : [",", ...arg]));
      return [words.toSpliced(start + 1, closingOf(words, start) - start - 1, ...swapped)];
    }),
  missing_guard: (words) => [
    ...dropOperand(words),
    ...dropChoice(words),
    ...dropFilter(words),
    ...dropBound(words),
    ...dropFallback(words),
  ],
  wrong_variable: (words, scope) =>
    eachIndex(words, (_, i) => scope.alternatives(words, i).map((other) => words.with(i, other))),
  wrong_default: (words) => [
    ...(words[1] === "=" && /^\d+$/.test(words[2] ?? "") ? [words.with(2, words[2] === "0" ? "2" : "0")] : []),
    ...eachFallback(words, (at) => (words[at] === "[" ? [] : [words.with(at, words[at] === "0" ? "1" : "0")])),
  ],
  missing_update: (words) => swapWords(words, { "+=": "=", "-=": "=", "*=": "=" }),
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

/** Words that mutants have and correct functions need not. */
export const mutationWords = [
  ..."< <= > >= == != + - * / and or not is += -= =".split(" "),
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

/** Calls: an opening parenthesis after a name. */
function eachCall(words: Words, mutate: (start: number, args: readonly Words[]) => readonly Words[]): readonly Words[] {
  return eachIndex(words, (word, i) => {
    const end = word === "(" && isOperand(words[i - 1]) ? closingOf(words, i) : -1;
    return end < 0 ? [] : mutate(i, splitArguments(words.slice(i + 1, end)));
  });
}

/** No spread, no argument by name, no generator. */
function isPositional(arg: Words): boolean {
  return arg[0] !== "*" && arg[0] !== "**" && arg[1] !== "=" && !arg.includes("for");
}

/** What a call gives where there is nothing: the second argument of `.get`, `default=`. */
function eachFallback(words: Words, mutate: (at: number) => readonly Words[]): readonly Words[] {
  return eachIndex(words, (word, i) => {
    if (word === "default" && words[i + 1] === "=") return mutate(i + 2);
    if (word !== ".get" || words[i + 1] !== "(") return [];
    const [first, second] = splitArguments(words.slice(i + 2, closingOf(words, i + 1)));
    return first === undefined || second === undefined ? [] : mutate(i + 3 + first.length);
  });
}

function otherConstants(word: string): readonly string[] {
  switch (word) {
    case "0":
      return ["1", "2"];
    case "1":
      return ["0", "2"];
    case "2":
      return ["3"];
    case "3":
      return ["2"];
    case "400":
      return ["500"];
    case "500":
      return ["400"];
    case "'any'":
      return ["'none'"];
    case "'none'":
      return ["'any'"];
    case "'yes'":
      return ["'none'"];
    default:
      return [];
  }
}

/** `a and b` without one of the two; both are whole conditions. */
function dropOperand(words: Words): readonly Words[] {
  return eachIndex(words, (word, i) => {
    if (word !== "and" && word !== "or") return [];
    const [start, end] = [startOf(words, i), endOf(words, i)];
    return [words.toSpliced(i, end - i), words.toSpliced(start, i + 1 - start)];
  });
}

/** `a if c else b` as `a`, or as `b`. */
function dropChoice(words: Words): readonly Words[] {
  return eachIndex(words, (word, i) => {
    const otherwise = word === "if" && i > 0 ? closingChoice(words, i) : -1;
    if (otherwise < 0) return [];
    const [start, end] = [startOf(words, i), endOf(words, otherwise)];
    const [first, second] = [words.slice(start, i), words.slice(otherwise + 1, end)];
    return [first, second].map((kept) => words.toSpliced(start, end - start, ...kept));
  });
}

/** `[x for x in xs if c]` as `[x for x in xs]`. */
function dropFilter(words: Words): readonly Words[] {
  return eachIndex(words, (word, i) => {
    const isFilter = word === "if" && i > 0 && closingChoice(words, i) < 0;
    return isFilter ? [words.toSpliced(i, endOf(words, i) - i)] : [];
  });
}

/** The `else` of a choice; -1 where an `if` has none. */
function closingChoice(words: Words, at: number): number {
  const found = words.slice(at, endOf(words, at)).indexOf("else");
  return found < 0 ? -1 : at + found;
}

/** `max(x, 0)` as `x`. */
function dropBound(words: Words): readonly Words[] {
  return eachCall(words, (start, args) => {
    const isBound = (words[start - 1] === "max" || words[start - 1] === "min") && args.length === 2;
    const kept = args.every(isPositional) ? args.find((arg) => arg[0] !== "0") : undefined;
    if (!isBound || kept === undefined) return [];
    return [words.toSpliced(start - 1, closingOf(words, start) - start + 2, ...kept)];
  });
}

/** `.get(key, x)` as `.get(key)`, `max(xs, default=0)` as `max(xs)`. */
function dropFallback(words: Words): readonly Words[] {
  return eachFallback(words, (at) => {
    const comma = words.lastIndexOf(",", at);
    return [words.toSpliced(comma, endOf(words, at - 1) - comma)];
  });
}

/** Where the expression that an operator stands in begins. */
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

/** One past where it ends. */
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
