import type { Expression, JoinedPart } from "./ast.ts";
import { takeKind, type Cursor } from "./cursor.ts";
import { unescape } from "./escapes.ts";
import { parseFormatted } from "./formatted.ts";
import { SyntaxFault } from "./token.ts";

/** Texts side by side are one text; with a formatted one among them, a joined one. */
export function parseStrings(cursor: Cursor): Expression {
  const parts: JoinedPart[] = [];
  let [isFormatted, numBytes, numTexts] = [false, 0, 0];
  for (let token = takeKind(cursor, "string"); token !== undefined; token = takeKind(cursor, "string")) {
    const { prefix, body } = splitLiteral(token.text);
    const isRaw = prefix.includes("r");
    numTexts++;
    if (prefix.includes("b")) numBytes++;
    if (prefix.includes("f")) {
      isFormatted = true;
      parts.push(...parseFormatted(body, isRaw, cursor.rules));
    } else parts.push({ kind: "text", value: isRaw ? body : unescape(body) });
  }
  if (numBytes > 0 && numBytes < numTexts) throw new SyntaxFault("cannot mix bytes and nonbytes literals");
  if (numBytes > 0) return { kind: "bytes" };
  if (isFormatted) return { kind: "joined", parts };
  return { kind: "string", value: parts.map((part) => (part.kind === "text" ? part.value : "")).join("") };
}

function splitLiteral(text: string): { prefix: string; body: string } {
  const quote = text.search(/["']/);
  const mark = text.startsWith(text.charAt(quote).repeat(3), quote) && text.length >= quote + 6 ? 3 : 1;
  return { prefix: text.slice(0, quote).toLowerCase(), body: text.slice(quote + mark, text.length - mark) };
}
