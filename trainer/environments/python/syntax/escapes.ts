import { SyntaxFault } from "./token.ts";

const simple: Readonly<Record<string, string>> = {
  "\n": "",
  "\\": "\\",
  "'": "'",
  '"': '"',
  a: "\u0007",
  b: "\b",
  f: "\f",
  n: "\n",
  r: "\r",
  t: "\t",
  v: "\v",
};
const hexLengths: Readonly<Record<string, number>> = { x: 2, u: 4, U: 8 };
const hexShapes: Readonly<Record<string, string>> = { x: "\\xXX", u: "\\uXXXX", U: "\\UXXXXXXXX" };

/** What a literal's text stands for. An unknown escape stands for itself. */
export function unescape(text: string): string {
  if (!text.includes("\\")) return text;
  return text.replace(/\\([0-7]{1,3}|[xuU][0-9a-fA-F]*|[^])/g, (whole: string, code: string, position: number) => {
    const first = code.charAt(0);
    if (first in hexLengths) return unescapeHex(code, position);
    if (/^[0-7]/.test(code)) return String.fromCharCode(parseInt(code, 8));
    return Object.hasOwn(simple, code) ? (simple[code] ?? "") : whole;
  });
}

function unescapeHex(code: string, position: number): string {
  const kind = code.charAt(0);
  const length = hexLengths[kind] ?? 0;
  const digits = code.slice(1, 1 + length);
  const where = `(unicode error) 'unicodeescape' codec can't decode bytes in position ${position}`;
  if (digits.length < length) {
    throw new SyntaxFault(`${where}-${position + 1 + digits.length}: truncated ${hexShapes[kind] ?? ""} escape`);
  }
  const point = parseInt(digits, 16);
  if (point > 0x10ffff) throw new SyntaxFault(`${where}-${position + 9}: illegal Unicode character`);
  return String.fromCodePoint(point) + code.slice(1 + length);
}
