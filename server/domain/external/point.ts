import { z } from "zod";

/**
 * What one logged line says: values of one step under the trainer's own keys, and when (Unix time) where the log tells.
 * NaN and ±Infinity are values.
 */
export type LoggedStep = { step: number; values: Record<string, number>; atMs?: number };

/** A number as Python's `repr`, NumPy's `repr` or JSON writes it; undefined for anything else. */
export function parseNumber(text: string): number | undefined {
  const bare = /^np\.\w+\((.*)\)$/.exec(text.trim())?.[1] ?? text.trim();
  switch (bare.toLowerCase()) {
    case "nan":
      return NaN;
    case "inf":
    case "infinity":
      return Infinity;
    case "-inf":
    case "-infinity":
      return -Infinity;
    case "true":
      return 1;
    case "false":
      return 0;
  }
  return /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(bare) ? Number(bare) : undefined;
}

/**
 * The metrics among a JSON object's values: numbers as they are, booleans as 0 and 1, null and the words for numbers
 * that are not finite as those; everything else is no metric.
 */
export function numbersOf(data: Readonly<Record<string, unknown>>): Record<string, number> {
  const numbers: Record<string, number> = {};
  for (const key of Object.keys(data)) {
    const number = toNumber(data[key]);
    if (number !== undefined) numbers[key] = number;
  }
  return numbers;
}

function toNumber(value: unknown): number | undefined {
  if (value === null) return NaN;
  if (typeof value === "number" || typeof value === "boolean") return Number(value);
  if (typeof value !== "string") return undefined;
  const number = parseNumber(value);
  return number === undefined || Number.isFinite(number) ? undefined : number;
}

/** An object of JSON, as it is: a record's schema would copy each of a log's lines. */
export const LoggedObject = z.custom<Readonly<Record<string, unknown>>>(
  (value) => typeof value === "object" && value !== null && !Array.isArray(value),
);
