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
    ...eachIndex(words, (word, i) => (word === "=" && words[i + 1] === "0" ? [words.with(i + 1, "1")] : [])),
  ],
  wrong_operator: (words) =>
    swapWords(words, { "+": "-", "-": "+", "*": "/", "/": "*", "&&": "||", "||": "&&", "+=": "-=", "-=": "+=" }),
  flipped_comparison: (words) => [
    ...swapWords(words, { "<": ">", ">": "<", "<=": ">=", ">=": "<=", "===": "!==", "!==": "===" }),
    ...eachIndex(words, (word, i) => (word === "!" ? [words.toSpliced(i, 1)] : [])),
  ],
  wrong_constant: (words) => eachIndex(words, (word, i) => otherConstants(word).map((other) => words.with(i, other))),
  swapped_arguments: (words, scope) =>
    eachCall(words, (start, args) => {
      const [first, second] = args;
      if (args.length < 2 || first === undefined || second === undefined) return [];
      if (words[closingOf(words, start) + 1] === "=>" || scope.variables.has(words[start - 1] ?? "")) return [];
      const swapped = [second, first, ...args.slice(2)].flatMap((arg, i) => (i === 0 ? [...arg] : [",", ...arg]));
      return [words.toSpliced(start + 1, closingOf(words, start) - start - 1, ...swapped)];
    }),
  missing_guard: (words) => [...dropOperand(words), ...dropChoice(words), ...dropBound(words)],
  wrong_variable: (words, scope) =>
    eachIndex(words, (_, i) => scope.alternatives(words, i).map((other) => words.with(i, other))),
  wrong_default: (words) =>
    eachIndex(words, (word, i) => {
      const fallback = words[i + 1] ?? "";
      const isStart = words[0] === "let" && word === "=" && /^\d+$/.test(fallback);
      if (isStart) return [words.with(i + 1, fallback === "0" ? "2" : "0")];
      if (word !== "??" || fallback === "[") return [];
      return [words.with(i + 1, fallback === "0" ? "1" : "0")];
    }),
  missing_update: (words) => [
    ...swapWords(words, { "+=": "=", "-=": "=", "*=": "=" }),
    ...eachIndex(words, (word, i) => {
      if (word !== "=" || words[i + 1] !== words[i - 1] || words[0] === "const" || words[0] === "let") return [];
      return words[i + 2] === ".concat" ? [words.toSpliced(i + 1, 2)] : [];
    }),
  ],
  missing_return: (words) => {
    const i = words.indexOf("return");
    return i < 0 || words[i + 1] === "{" ? [] : [words.toSpliced(i, 1)];
  },
  wrong_callee: (words) => swapWords(words, otherCallees),
};

const otherCallees: Readonly<Record<string, string>> = {
  ".max": ".min",
  ".min": ".max",
  ".floor": ".ceil",
  ".ceil": ".floor",
  ".every": ".some",
  ".some": ".every",
  ".push": ".unshift",
  ".keys": ".values",
  ".values": ".keys",
  ".filter": ".map",
  ".includes": ".indexOf",
};

/** Words that mutants have and correct functions need not. */
export const mutationWords = [
  ..."< <= > >= === !== + - * / && || += -= = !".split(" "),
  ...Object.values(otherCallees),
  ..."0 1 2 3".split(" "),
] as const;

function eachIndex(words: Words, mutate: (word: string, i: number) => readonly Words[]): readonly Words[] {
  return words.flatMap((word, i) => mutate(word, i));
}

function swapWords(words: Words, swaps: Readonly<Record<string, string>>): readonly Words[] {
  return eachIndex(words, (word, i) => {
    const other = Object.hasOwn(swaps, word) ? swaps[word] : undefined;
    const isUnary = word === "-" && !isOperand(words[i - 1]);
    return other === undefined || isUnary ? [] : [words.with(i, other)];
  });
}

/** Calls and definitions: an opening parenthesis after a name. */
function eachCall(words: Words, mutate: (start: number, args: readonly Words[]) => readonly Words[]): readonly Words[] {
  return eachIndex(words, (word, i) => {
    const isCall = word === "(" && /^[.\w$]+$/.test(words[i - 1] ?? "") && !controls.has(words[i - 1] ?? "");
    const end = isCall ? closingOf(words, i) : -1;
    return end < 0 ? [] : mutate(i, splitArguments(words.slice(i + 1, end)));
  });
}

const controls = new Set(["if", "for", "while", "return", "of", "in"]);

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
    case '"any"':
      return ['"none"'];
    case '"none"':
      return ['"any"'];
    case '"yes"':
      return ['"none"'];
    case "null":
      return ["undefined"];
    default:
      return [];
  }
}

/** `a && b` without one of the two; both are whole conditions of the line. */
function dropOperand(words: Words): readonly Words[] {
  return eachIndex(words, (word, i) => {
    if (word !== "&&" && word !== "||" && word !== "??") return [];
    const start = startOf(words, i);
    const end = endOf(words, i);
    const without = [words.toSpliced(i, end - i)];
    return word === "??" ? without : [...without, words.toSpliced(start, i + 1 - start)];
  });
}

/** `c ? a : b` as `a`, or as `b`. */
function dropChoice(words: Words): readonly Words[] {
  const question = words.indexOf("?");
  const colon = words.indexOf(":", question);
  if (question < 0 || colon < 0) return [];
  const [start, end] = [startOf(words, question), endOf(words, colon)];
  const [first, second] = [words.slice(question + 1, colon), words.slice(colon + 1, end)];
  return [first, second].map((kept) => words.toSpliced(start, end - start, ...kept));
}

/** `Math.max(x, 0)` as `x`. */
function dropBound(words: Words): readonly Words[] {
  return eachCall(words, (start, args) => {
    const isBound = (words[start - 1] === ".max" || words[start - 1] === ".min") && args.length === 2;
    const kept = args.find((arg) => arg[0] !== "0" && arg[0] !== "...");
    if (!isBound || kept === undefined) return [];
    return [words.toSpliced(start - 2, closingOf(words, start) - start + 3, ...kept)];
  });
}

/** Where the expression that an operator stands in begins. */
function startOf(words: Words, at: number): number {
  for (let i = at - 1, depth = 0; i >= 0; i--) {
    const word = words[i] ?? "";
    if (word === ")" || word === "]") depth++;
    if (word === "(" || word === "[") depth--;
    if (depth < 0 || (depth === 0 && (word === "return" || word === "=" || word === "=>" || word === ",")))
      return i + 1;
  }
  return 0;
}

/** One past where it ends. */
function endOf(words: Words, at: number): number {
  for (let i = at + 1, depth = 0; i < words.length; i++) {
    const word = words[i] ?? "";
    if (word === "(" || word === "[") depth++;
    if (word === ")" || word === "]") depth--;
    if (depth < 0 || (depth === 0 && (word === ";" || word === ","))) return i;
  }
  return words.length;
}

function isOperand(word: string | undefined): boolean {
  return word !== undefined && (/^[.\w$]+$/.test(word) || word === ")" || word === "]") && !controls.has(word);
}
