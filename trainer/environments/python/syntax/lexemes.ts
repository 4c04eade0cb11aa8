import { SyntaxFault } from "./token.ts";

/** Whether a name can begin so. Every character beyond ASCII is taken in at first, and judged with the whole name. */
export function isIdentifierStart(c: string): boolean {
  return /[A-Za-z_]/.test(c) || c >= "\u0080";
}

export function isIdentifierPart(c: string): boolean {
  return /\w/.test(c) || c >= "\u0080";
}

/** What CPython says of the first character that no name can have. */
export function toInvalidCharacter(name: string): string | undefined {
  const invalid = Array.from(name).find(
    (c, i) => !(i === 0 ? /[\p{L}\p{Nl}_]/u : /[\p{L}\p{Nl}\p{M}\p{Nd}\p{Pc}]/u).test(c),
  );
  if (invalid === undefined) return undefined;
  const code = `U+${(invalid.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0")}`;
  return /[\p{C}\p{Z}]/u.test(invalid)
    ? `invalid non-printable character ${code}`
    : `invalid character '${invalid}' (${code})`;
}

const bases = {
  x: { digit: /[0-9a-fA-F]/, title: "hexadecimal" },
  o: { digit: /[0-7]/, title: "octal" },
  b: { digit: /[01]/, title: "binary" },
} as const;

/** Where the number that starts at `from` ends. */
export function lexNumber(source: string, from: number): number {
  const marker = source.charAt(from + 1).toLowerCase();
  if (source[from] === "0" && (marker === "x" || marker === "o" || marker === "b"))
    return lexBased(source, from, marker);
  return lexDecimal(source, from);
}

function lexBased(source: string, from: number, marker: keyof typeof bases): number {
  const { digit, title } = bases[marker];
  let end = from + 2;
  do {
    if (source[end] === "_") end++;
    if (!digit.test(source.charAt(end))) throw badDigit(source.charAt(end), title);
    while (digit.test(source.charAt(end))) end++;
  } while (source[end] === "_");
  if (marker !== "x" && /\d/.test(source.charAt(end))) throw badDigit(source.charAt(end), title);
  return checkEnd(source, end, title);
}

function badDigit(c: string, title: string): SyntaxFault {
  const isDigit = title !== "hexadecimal" && /\d/.test(c);
  return new SyntaxFault(isDigit ? `invalid digit '${c}' in ${title} literal` : `invalid ${title} literal`);
}

function lexDecimal(source: string, from: number): number {
  let end = source[from] === "." ? from : lexDigits(source, from);
  const digits = source.slice(from, end);
  let isFloat = false;
  if (source[end] === ".") {
    isFloat = true;
    end++;
    if (/\d/.test(source.charAt(end))) end = lexDigits(source, end);
  }
  const exponent = /^[eE][+-]?\d/.exec(source.slice(end, end + 3));
  if (exponent !== null) {
    isFloat = true;
    end = lexDigits(source, end + exponent[0].length - 1);
  } else if (/^[eE][+-]/.test(source.slice(end, end + 2))) {
    throw new SyntaxFault("invalid decimal literal");
  }
  if (/[jJ]/.test(source.charAt(end))) return checkEnd(source, end + 1, "imaginary");
  checkEnd(source, end, "decimal");
  if (!isFloat && /^0[0_]*[1-9]/.test(digits)) {
    throw new SyntaxFault(
      "leading zeros in decimal integer literals are not permitted; use an 0o prefix for octal integers",
    );
  }
  return end;
}

function lexDigits(source: string, from: number): number {
  let end = from;
  while (/\d/.test(source.charAt(end))) {
    end++;
    if (source[end] !== "_") continue;
    if (!/\d/.test(source.charAt(end + 1))) throw new SyntaxFault("invalid decimal literal");
    end++;
  }
  return end;
}

/** A number may touch one of a few keywords, and no other name. */
function checkEnd(source: string, end: number, title: string): number {
  const follows = source.slice(end, end + 5);
  if (/^(?:i[fns]|(?:and|else|for|not|or)(?!\w))/.test(follows)) return end;
  if (/^\w/.test(follows)) throw new SyntaxFault(`invalid ${title} literal`);
  return end;
}
