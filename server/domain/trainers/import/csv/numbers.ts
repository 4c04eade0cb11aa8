import { parseNumber } from "#packages/trainers";

/** Mark between a table's whole numbers and their decimals. */
export type DecimalMark = "." | ",";

const commaThousands = /^[+-]?[1-9]\d{0,2}(?:,\d{3})+(?:\.\d*)?(?:e[+-]?\d+)?$/i;
const pointThousands = /^[+-]?[1-9]\d{0,2}(?:\.\d{3})+(?:,\d*)?(?:e[+-]?\d+)?$/i;
const commaDecimal = /^[+-]?\d*,\d+(?:e[+-]?\d+)?$/i;
const pointDecimal = /^[+-]?\d*\.\d+(?:e[+-]?\d+)?$/i;
/** Spaces, apostrophes and underscores between thousands: 1 000 000, 1'000'000, 1_000_000. */
const spacedThousands = /^[+-]?\d{1,3}(?:[ \u00A0\u2009\u202F'’_]\d{3})+(?=$|[.,e])/i;
const multiples = new Map([
  ["k", 1e3],
  ["m", 1e6],
  ["g", 1e9],
  ["b", 1e9],
]);
/** Words of Excel and of C libraries for numbers that are not finite. */
const words = new Map([
  ["#div/0!", NaN],
  ["#num!", NaN],
  ["#value!", NaN],
  ["1.#qnan", NaN],
  ["-1.#ind", NaN],
  ["1.#inf", Infinity],
  ["-1.#inf", -Infinity],
  ["∞", Infinity],
  ["-∞", -Infinity],
]);

/** True for an empty field, or a word for a value that was not measured. */
export function isMissing(text: string): boolean {
  return /^(|none|null|na|n\/a|<na>|#n\/a|-|–|—|\.|\?)$/i.test(text.trim());
}

/**
 * Finds a table's decimal mark. Numbers such as 0,21 have a comma, as does 1,234 between semicolons, since tables with
 * decimal points are seldom separated so.
 */
export function findDecimalMark(fields: Iterable<string>, delimiter: string): DecimalMark {
  let hasComma = false;
  for (const field of fields) {
    const text = bare(field);
    if (pointDecimal.test(text) && !pointThousands.test(text)) return ".";
    const isThousands = commaThousands.test(text) && delimiter !== ";";
    if (!isThousands && (commaDecimal.test(text) || (pointThousands.test(text) && text.includes(",")))) hasComma = true;
  }
  return hasComma ? "," : ".";
}

/** Parses a number as people and spreadsheets write it: 1,234.5, 1.234,5, 1 234, 85 %, 1.5k; otherwise undefined. */
export function parseWritten(field: string, mark: DecimalMark = "."): number | undefined {
  const text = bare(field);
  const plain = mark === "." ? parseNumber(text) : undefined;
  if (plain !== undefined) return plain;
  const [, body = text, sign] = /^(.*?\d)\s*(%|[kKMGB])$/.exec(text) ?? [];
  const spaced = spacedThousands.test(body) ? body.replaceAll(/[ \u00A0\u2009\u202F'’_]/g, "") : body;
  const [thousands, separator] = mark === "." ? [commaThousands, ","] : [pointThousands, "."];
  const whole = thousands.test(spaced) ? spaced.replaceAll(separator, "") : spaced;
  if (mark === "," && whole.includes(".")) return undefined;
  const number = parseNumber(mark === "," ? whole.replace(",", ".") : whole) ?? words.get(text.toLowerCase());
  if (number === undefined || sign === undefined) return number;
  return sign === "%" ? number / 100 : number * (multiples.get(sign.toLowerCase()) ?? 1);
}

function bare(field: string): string {
  return field.trim().replace(/^[−–](?=[\d.,∞])/, "-");
}
