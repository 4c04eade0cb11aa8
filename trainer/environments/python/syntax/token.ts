/** A word of the program. `level` is the number of brackets open after it; `line` counts from 1. */
export type Token = {
  kind: "name" | "keyword" | "number" | "string" | "op" | "newline" | "indent" | "dedent" | "end" | "fault";
  text: string;
  line: number;
  level: number;
};

/** What keeps a program from running at all. Thrown by lexer, parser and compiler. */
export class SyntaxFault extends Error {
  readonly type: "SyntaxError" | "IndentationError" | "TabError";
  /** Complained of only where a reading gets there; other faults of words go before all faults of grammar. */
  readonly isLazy: boolean;
  constructor(message: string, type: SyntaxFault["type"] = "SyntaxError", isLazy = false) {
    super(message);
    this.type = type;
    this.isLazy = isLazy;
  }
}

export const keywords: ReadonlySet<string> = new Set(
  (
    "False None True and as assert async await break class continue def del elif else except finally for from " +
    "global if import in is lambda nonlocal not or pass raise return try while with yield"
  ).split(" "),
);
