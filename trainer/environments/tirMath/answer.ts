/** A number as a fraction times the square root of an integer, so that 3, −1/2, 0.75 and 2√3 are exact. */
type Value = { numerator: bigint; denominator: bigint; radicand: bigint };

/** Returns the content of the last `\boxed{…}` in a text; undefined if there is none or its braces do not match. */
export function findBoxed(text: string): string | undefined {
  const start = text.lastIndexOf("\\boxed{");
  if (start === -1) return undefined;
  const from = start + "\\boxed{".length;
  let depth = 1;
  for (let i = from; i < text.length; i++) {
    if (text[i] === "{") depth++;
    if (text[i] === "}" && --depth === 0) return text.slice(from, i);
  }
  return undefined;
}

/** True if an answer equals the correct one: as a number or, if one of the two cannot be parsed, as text. */
export function isRight(answer: string, truth: string): boolean {
  const [a, b] = [parseAnswer(answer), parseAnswer(truth)];
  if (a === undefined || b === undefined) return normalise(answer) === normalise(truth);
  return a.numerator * b.denominator === b.numerator * a.denominator && a.radicand === b.radicand;
}

/** Removes what leaves an answer's number unchanged: LaTeX spacing, units, `%`, `$`, `x=` and a final period. */
function normalise(text: string): string {
  return text
    .replaceAll(/\\(?:left|right|displaystyle|[,;:! ])/g, "")
    .replaceAll(/\\(?:text|mathrm|mbox)\{[^{}]*\}/g, "")
    .replaceAll(/\\[dt]frac/g, "\\frac")
    .replaceAll(/\\frac(\d)(\d)/g, "\\frac{$1}{$2}")
    .replaceAll(/\^\{?\\circ\}?|\\?%|\\?\$|°/g, "")
    .replaceAll(/[\s{}]+(?=$)|^\s+/g, (space) => (space.includes("}") ? space.replaceAll(/\s/g, "") : ""))
    .replaceAll(/\s/g, "")
    .replace(/^[a-zA-Z]=/, "")
    .replace(/^\+/, "")
    .replace(/\.$/, "");
}

const maxLength = 100;

function parseAnswer(text: string): Value | undefined {
  const plain = normalise(text);
  if (plain.length > maxLength) return undefined;
  const match = /^(-?)(.*?)(?:\\sqrt\{?(\d+)\}?)?$/.exec(plain);
  if (match === null) return undefined;
  const [, sign, head = "", radicand] = match;
  const size = head === "" && radicand !== undefined ? { numerator: 1n, denominator: 1n } : parseRatio(head);
  if (size === undefined) return undefined;
  const numerator = sign === "-" ? -size.numerator : size.numerator;
  return simplify({ numerator, denominator: size.denominator, radicand: BigInt(radicand ?? "1") });
}

function parseRatio(text: string): { numerator: bigint; denominator: bigint } | undefined {
  const fraction = /^\\frac\{(-?[\d.,]+)\}\{([\d.,]+)\}$/.exec(text) ?? /^(-?[\d.,]+)\/([\d.,]+)$/.exec(text);
  const [top, bottom] = fraction === null ? [text, "1"] : [fraction[1] ?? "", fraction[2] ?? ""];
  const [a, b] = [parseDecimal(top), parseDecimal(bottom)];
  if (a === undefined || b === undefined || b.numerator === 0n) return undefined;
  return { numerator: a.numerator * b.denominator, denominator: a.denominator * b.numerator };
}

function parseDecimal(text: string): { numerator: bigint; denominator: bigint } | undefined {
  const plain = /^-?\d{1,3}(?:,\d{3})+(?:\.\d+)?$/.test(text) ? text.replaceAll(",", "") : text;
  const match = /^(-?)(\d*)(?:\.(\d+))?$/.exec(plain);
  if (match === null) return undefined;
  const [, sign, whole = "", decimals = ""] = match;
  if (whole + decimals === "") return undefined;
  const numerator = BigInt(whole + decimals);
  return { numerator: sign === "-" ? -numerator : numerator, denominator: 10n ** BigInt(decimals.length) };
}

const maxRadicand = 1_000_000n;

/** Moves square factors out of the root, so that √12 becomes 2√3. Radicands above a million stay unchanged. */
function simplify(value: Value): Value {
  let { numerator, radicand } = value;
  if (radicand === 0n || numerator === 0n) return { numerator: 0n, denominator: 1n, radicand: 1n };
  if (radicand > maxRadicand) return value;
  for (let root = 2n; root * root <= radicand; root++) {
    while (radicand % (root * root) === 0n) [numerator, radicand] = [numerator * root, radicand / (root * root)];
  }
  return { numerator, denominator: value.denominator, radicand };
}
