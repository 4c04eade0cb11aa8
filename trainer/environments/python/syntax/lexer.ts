import { isIdentifierPart, isIdentifierStart, lexNumber, toInvalidCharacter } from "./lexemes.ts";
import { keywords, SyntaxFault, type Token } from "./token.ts";

/** What was read, and the fault that ended the reading. A file that ends inside brackets is no fault of its own yet. */
export type Lexed = {
  tokens: readonly Token[];
  fault: SyntaxFault | undefined;
  unclosed: { bracket: string; line: number } | undefined;
};

const threeCharacters = new Set(["**=", "//=", ">>=", "<<=", "..."]);
const twoCharacters = new Set("** // >> << <= >= == != -> := += -= *= /= %= &= |= ^= @=".split(" "));
const closing: Readonly<Record<string, string>> = { ")": "(", "]": "[", "}": "{" };
const tabWidth = 8;

/** Splits a program into tokens by the rules of CPython 3.11, its messages included. */
export function lex(source: string): Lexed {
  const lexer = makeLexer(source.replaceAll("\r\n", "\n").replaceAll("\r", "\n"));
  try {
    lexer.run();
    return { tokens: lexer.tokens, fault: undefined, unclosed: lexer.unclosed() };
  } catch (fault) {
    if (!(fault instanceof SyntaxFault)) throw fault;
    lexer.push("fault", "");
    return { tokens: lexer.tokens, fault, unclosed: undefined };
  }
}

function makeLexer(source: string) {
  const tokens: Token[] = [];
  const brackets: { bracket: string; line: number }[] = [];
  // Columns of the open blocks, counted twice: with tabs to multiples of eight, and with tabs as one.
  const indents: { column: number; narrow: number }[] = [{ column: 0, narrow: 0 }];
  let [at, line, atLineStart] = [0, 1, true];

  const push = (kind: Token["kind"], text: string): void => {
    tokens.push({ kind, text, line, level: brackets.length });
  };

  function run(): void {
    while (at < source.length) {
      if (atLineStart && brackets.length === 0) readIndentation();
      else readToken();
    }
    finish();
  }

  function finish(): void {
    if (brackets.length > 0) {
      push("fault", "");
      return;
    }
    const last = tokens.at(-1);
    if (last !== undefined && last.kind !== "newline" && last.kind !== "dedent") push("newline", "");
    if (last !== undefined && !source.endsWith("\n")) line++;
    for (; indents.length > 1; indents.pop()) push("dedent", "");
    push("end", "");
  }

  function readIndentation(): void {
    let [column, narrow] = [0, 0];
    for (; at < source.length; at++) {
      const c = source[at];
      if (c === " ") [column, narrow] = [column + 1, narrow + 1];
      else if (c === "\t") [column, narrow] = [(Math.floor(column / tabWidth) + 1) * tabWidth, narrow + 1];
      else if (c === "\f") [column, narrow] = [0, 0];
      else break;
    }
    atLineStart = false;
    const c = source[at];
    // A line with nothing on it has no indentation.
    if (c === undefined || c === "\n" || c === "#") return;
    if (c === "\\" && source[at + 1] === "\n") return;
    indentTo(column, narrow);
  }

  function indentTo(column: number, narrow: number): void {
    const current = indents.at(-1) ?? { column: 0, narrow: 0 };
    const tabFault = new SyntaxFault("inconsistent use of tabs and spaces in indentation", "TabError", true);
    if (column === current.column) {
      if (narrow !== current.narrow) throw tabFault;
      return;
    }
    if (column > current.column) {
      if (narrow <= current.narrow) throw tabFault;
      indents.push({ column, narrow });
      push("indent", "");
      return;
    }
    let numClosed = 0;
    for (; (indents.at(-1)?.column ?? 0) > column; numClosed++) indents.pop();
    const outer = indents.at(-1);
    if (outer?.column !== column) {
      throw new SyntaxFault("unindent does not match any outer indentation level", "IndentationError", true);
    }
    if (outer.narrow !== narrow) throw tabFault;
    for (let i = 0; i < numClosed; i++) push("dedent", "");
  }

  function readToken(): void {
    const c = source.charAt(at);
    if (c === " " || c === "\t" || c === "\f") at++;
    else if (c === "#") at = indexOrEnd("\n", at);
    else if (c === "\n") readLineBreak();
    else if (c === "\\") readContinuation();
    else if (isDigit(c) || (c === "." && isDigit(source.charAt(at + 1)))) readNumber();
    else if (stringStart.exec(source.slice(at, at + 3)) !== null) readString();
    else if (isIdentifierStart(c)) readName();
    else readOperator(c);
  }

  function readLineBreak(): void {
    const last = tokens.at(-1);
    const isBlank = last === undefined || ["newline", "indent", "dedent"].includes(last.kind);
    if (brackets.length === 0) {
      if (!isBlank) push("newline", "");
      atLineStart = true;
    }
    at++;
    line++;
  }

  function readContinuation(): void {
    if (source[at + 1] === undefined) throw lazy("unexpected EOF while parsing");
    if (source[at + 1] !== "\n") throw lazy("unexpected character after line continuation character");
    at += 2;
    line++;
    if (at >= source.length) throw lazy("unexpected EOF while parsing");
  }

  function readNumber(): void {
    const end = lexNumber(source, at);
    push("number", source.slice(at, end));
    at = end;
  }

  function readName(): void {
    let end = at;
    while (end < source.length && isIdentifierPart(source.charAt(end))) end++;
    const text = source.slice(at, end);
    const invalid = toInvalidCharacter(text);
    if (invalid !== undefined) throw new SyntaxFault(invalid);
    push(keywords.has(text) ? "keyword" : "name", text);
    at = end;
  }

  function readString(): void {
    const prefix = stringStart.exec(source.slice(at, at + 3))?.[1] ?? "";
    const open = at + prefix.length;
    const quote = source.charAt(open);
    const isTriple = source.startsWith(quote.repeat(3), open);
    const startLine = line;
    const mark = isTriple ? quote.repeat(3) : quote;
    let end = open + mark.length;
    while (!source.startsWith(mark, end)) {
      const c = source[end];
      if (c === undefined || (c === "\n" && !isTriple)) throw unterminated(isTriple, startLine);
      if (c === "\n" || (c === "\\" && source[end + 1] === "\n")) line++;
      end += c === "\\" ? 2 : 1;
    }
    const text = source.slice(at, end + mark.length);
    tokens.push({ kind: "string", text, line: startLine, level: brackets.length });
    at = end + mark.length;
  }

  function unterminated(isTriple: boolean, startLine: number): SyntaxFault {
    const detected = isTriple ? source.split("\n").length : startLine;
    const kind = isTriple ? "triple-quoted string" : "string";
    return new SyntaxFault(`unterminated ${kind} literal (detected at line ${isTriple ? detected : line})`);
  }

  function readOperator(c: string): void {
    const three = source.slice(at, at + 3);
    const two = three.slice(0, 2);
    const text = threeCharacters.has(three) ? three : twoCharacters.has(two) ? two : c;
    if ("([{".includes(c)) brackets.push({ bracket: c, line });
    if (c in closing) close(c);
    push("op", text);
    at += text.length;
  }

  function close(c: string): void {
    const open = brackets.pop();
    if (open === undefined) throw new SyntaxFault(`unmatched '${c}'`);
    if (open.bracket === closing[c]) return;
    const where = open.line === line ? "" : ` on line ${open.line}`;
    throw new SyntaxFault(`closing parenthesis '${c}' does not match opening parenthesis '${open.bracket}'${where}`);
  }

  function indexOrEnd(text: string, from: number): number {
    const found = source.indexOf(text, from);
    return found === -1 ? source.length : found;
  }

  return { tokens, push, run, unclosed: () => brackets.at(-1) };
}

const stringStart = /^((?:[rR][fFbB]?|[fF][rR]?|[bB][rR]?|[uU])?)["']/;

function lazy(message: string): SyntaxFault {
  return new SyntaxFault(message, "SyntaxError", true);
}

function isDigit(c: string): boolean {
  return c >= "0" && c <= "9" && c.length === 1;
}
