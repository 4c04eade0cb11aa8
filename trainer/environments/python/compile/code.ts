import type { Body, Value } from "../values/value.ts";

/** What the machine can do, by number. Its table of handlers has one for each. */
export const opNames = [
  "constant",
  "pop",
  "duplicate",
  "duplicateTwo",
  "swap",
  "rotateThree",
  "loadLocal",
  "storeLocal",
  "deleteLocal",
  "loadCell",
  "storeCell",
  "deleteCell",
  "loadGlobal",
  "storeGlobal",
  "deleteGlobal",
  "loadName",
  "storeName",
  "deleteName",
  "unaryPlus",
  "unaryMinus",
  "unaryInvert",
  "not",
  "add",
  "subtract",
  "multiply",
  "modulo",
  "floorDivide",
  "binary",
  "augment",
  "less",
  "greater",
  "equal",
  "compare",
  "jump",
  "jumpBack",
  "popJumpIfFalse",
  "popJumpIfTrue",
  "jumpIfFalseOrPop",
  "jumpIfTrueOrPop",
  "iterate",
  "forNext",
  "makeTuple",
  "makeList",
  "makeSet",
  "makeDict",
  "makeSlice",
  "makeText",
  "appendList",
  "addSet",
  "putDict",
  "extendList",
  "updateSet",
  "updateDict",
  "mergeKeywords",
  "listToTuple",
  "loadAttribute",
  "storeAttribute",
  "deleteAttribute",
  "subscript",
  "storeSubscript",
  "deleteSubscript",
  "unpack",
  "unpackRest",
  "call",
  "callKeywords",
  "callSpread",
  "makeFunction",
  "makeClass",
  "return",
  "yield",
  "yieldFrom",
  "format",
  "setUpTry",
  "endTry",
  "matchException",
  "endHandler",
  "reraise",
  "raise",
  "import",
  "importFrom",
  "importStar",
  "enterWith",
  "exitWith",
  "failAssertion",
  "duplicateException",
] as const;
export type Op = (typeof opNames)[number];

/** One function's instructions: operation and argument, by position. */
export type Code = Body & {
  name: string;
  /** With the functions around it: `f.<locals>.g`. */
  title: string;
  form: "module" | "function" | "class" | "comprehension";
  /** Indices into `opNames`. */
  ops: number[];
  args: number[];
  constants: Value[];
  names: string[];
  locals: string[];
  /** Cells of its own first, then those it was given. */
  cells: string[];
  numOwnCells: number;
  /** Own cells that start with the value of a parameter: the local's index, or −1. */
  cellSources: number[];
  codes: Code[];
  /** Which of the maker's cells a function made here is given. */
  captures: number[];
  parameters: {
    numPositionalOnly: number;
    numPositional: number;
    numKeywordOnly: number;
    hasRest: boolean;
    hasKeywordRest: boolean;
  };
  isGenerator: boolean;
  /** The keywords of calls, by index. */
  keywordLists: (readonly string[])[];
};
