import type { Expression, JoinedPart } from "./ast.ts";
import type { Rules } from "./cursor.ts";
import { unescape } from "./escapes.ts";
import { lex } from "./lexer.ts";
import { readTwice } from "./readTwice.ts";
import { SyntaxFault } from "./token.ts";

/** The texts and values of a formatted string. Each value is a program of its own, read between parentheses. */
export function parseFormatted(body: string, isRaw: boolean, rules: Rules): readonly JoinedPart[] {
  const reader = { body, at: 0, isRaw, rules };
  const parts = readParts(reader, 0);
  if (reader.at < body.length) throw new SyntaxFault("f-string: single '}' is not allowed");
  return parts;
}

type Reader = { readonly body: string; at: number; readonly isRaw: boolean; readonly rules: Rules };

/** Up to the end, or inside a format up to the brace that closes its value. */
function readParts(reader: Reader, depth: number): JoinedPart[] {
  const parts: JoinedPart[] = [];
  while (reader.at < reader.body.length) {
    const text = readText(reader, depth);
    if (text !== "") parts.push({ kind: "text", value: text });
    if (reader.body[reader.at] !== "{") break;
    reader.at++;
    parts.push(...readValue(reader, depth));
  }
  return parts;
}

function readText(reader: Reader, depth: number): string {
  const { body } = reader;
  let [text, start] = ["", reader.at];
  const flush = (): void => {
    const piece = body.slice(start, reader.at);
    text += reader.isRaw ? piece : unescape(piece);
  };
  for (; reader.at < body.length; reader.at++) {
    const c = body[reader.at];
    if (c === "\\" && !reader.isRaw && body[reader.at + 1] !== "{" && body[reader.at + 1] !== "}") reader.at++;
    else if (c === "{" || c === "}") {
      const isDoubled = depth === 0 && body[reader.at + 1] === c;
      if (!isDoubled && c === "}" && depth === 0) throw new SyntaxFault("f-string: single '}' is not allowed");
      if (!isDoubled) break;
      reader.at++;
      flush();
      start = reader.at + 1;
    }
  }
  flush();
  return text;
}

const closing: Readonly<Record<string, string>> = { ")": "(", "]": "[", "}": "{" };

function readValue(reader: Reader, depth: number): JoinedPart[] {
  if (depth >= 2) throw new SyntaxFault("f-string: expressions nested too deeply");
  const start = reader.at;
  skipExpression(reader);
  const { body } = reader;
  if (reader.at >= body.length) throw new SyntaxFault("f-string: expecting '}'");
  const source = body.slice(start, reader.at);
  const value = parseValue(source, reader.rules);
  const label = body[reader.at] === "=" ? readLabel(reader, start) : undefined;
  let conversion = readConversion(reader);
  const format = readFormat(reader, depth);
  if (body[reader.at] !== "}") throw new SyntaxFault("f-string: expecting '}'");
  reader.at++;
  if (label !== undefined && conversion === "" && format === undefined) conversion = "r";
  const part: JoinedPart = { kind: "value", value, conversion, format };
  return label === undefined ? [part] : [{ kind: "text", value: label }, part];
}

function readLabel(reader: Reader, start: number): string {
  reader.at++;
  while (/\s/.test(reader.body.charAt(reader.at))) reader.at++;
  return reader.body.slice(start, reader.at);
}

function readConversion(reader: Reader): string {
  if (reader.body[reader.at] !== "!") return "";
  const conversion = reader.body[reader.at + 1];
  if (conversion === undefined) throw new SyntaxFault("f-string: expecting '}'");
  reader.at += 2;
  if (!"sra".includes(conversion)) {
    throw new SyntaxFault("f-string: invalid conversion character: expected 's', 'r', or 'a'");
  }
  return conversion;
}

function readFormat(reader: Reader, depth: number): JoinedPart[] | undefined {
  if (reader.body[reader.at] !== ":") return undefined;
  reader.at++;
  return readParts(reader, depth + 1);
}

/** To the first `!`, `:`, `=` or `}` outside brackets and texts. */
function skipExpression(reader: Reader): void {
  const { body } = reader;
  const brackets: string[] = [];
  let quote = "";
  for (; reader.at < body.length; reader.at++) {
    const c = body.charAt(reader.at);
    if (c === "\\") throw new SyntaxFault("f-string expression part cannot include a backslash");
    if (quote !== "") {
      if (body.startsWith(quote, reader.at)) {
        reader.at += quote.length - 1;
        quote = "";
      }
    } else if (c === "'" || c === '"') {
      quote = body.startsWith(c.repeat(3), reader.at) ? c.repeat(3) : c;
      reader.at += quote.length - 1;
    } else if ("([{".includes(c)) brackets.push(c);
    else if (c === "#") throw new SyntaxFault("f-string expression part cannot include '#'");
    else if (brackets.length === 0 && "!:}=<>".includes(c)) {
      if ("!=<>".includes(c) && body[reader.at + 1] === "=") reader.at++;
      else if (c !== "<" && c !== ">") return;
    } else if (Object.hasOwn(closing, c)) closeBracket(brackets, c);
  }
  if (quote !== "") throw new SyntaxFault("f-string: unterminated string");
  const open = brackets.at(-1);
  if (open !== undefined) throw new SyntaxFault(`f-string: unmatched '${open}'`);
}

function closeBracket(brackets: string[], c: string): void {
  const open = brackets.pop();
  if (open === undefined) throw new SyntaxFault(`f-string: unmatched '${c}'`);
  if (open === closing[c]) return;
  throw new SyntaxFault(`f-string: closing parenthesis '${c}' does not match opening parenthesis '${open}'`);
}

function parseValue(source: string, rules: Rules): Expression {
  if (source.trim() === "") throw new SyntaxFault("f-string: empty expression not allowed");
  const lexed = lex(`(${source})`);
  try {
    return readTwice(lexed, rules, rules.starExpressions);
  } catch (fault) {
    if (!(fault instanceof SyntaxFault) || fault === lexed.fault) throw fault;
    const isPrefixed = fault.message.startsWith("f-string");
    throw isPrefixed ? fault : new SyntaxFault(`f-string: ${fault.message}`, fault.type);
  }
}
