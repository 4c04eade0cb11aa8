import { findDecimalComma, splitList } from "../splitList.ts";
import type { Hyperparameter } from "#server/domain/plan/sweep/settings/hyperparameters.ts";
import type { AxisValue } from "#server/domain/plan/sweep/schema.ts";
import { formatHyperparameter } from "#packages/base";

export type Parsed<Value> = { values: Value[]; problem?: string };

/** Parses "1e-4, 3e-4" as numbers (null for "off"), booleans, names of options, or free texts. */
export function parseValues(text: string, field: Hyperparameter): Parsed<AxisValue> {
  if (field.kind === "text") return { values: splitTexts(text) };
  const parts = splitList(text);
  if (field.kind !== "number") {
    const options = optionsOf(field);
    const unknown = parts.find((part) => !options.includes(part));
    if (unknown !== undefined) return { values: parts, problem: `"${unknown}" is not one of ${options.join(", ")}` };
    return { values: field.kind === "flag" ? parts.map((part) => part === "true") : parts };
  }
  const comma = findDecimalComma(text, field.integer);
  if (comma !== undefined) return { values: [], problem: comma };
  const isOff = (part: string) => field.isNullable === true && part === "off";
  const wrong = parts.find((part) => !isOff(part) && !Number.isFinite(Number(part)));
  if (wrong !== undefined) return { values: [], problem: `"${wrong}" is not a number` };
  const values = parts.map((part) => (isOff(part) ? null : Number(part)));
  const twice = parts.find((_, i) => values.indexOf(values[i] ?? null) < i);
  if (twice !== undefined) return { values, problem: `has the value ${twice} twice: remove one` };
  return { values };
}

/** Reads a field's text as one value or as the list of its values; text that cannot be read stays as it was typed. */
export function readValue(text: string, field: Hyperparameter): unknown {
  const { values, problem } = parseValues(text, field);
  if (problem !== undefined) return text;
  if (values.length === 0) return undefined;
  return values.length === 1 && field.kind !== "set" ? values[0] : values;
}

/** Formats a value of the sweep file as its field's text, such that `readValue` returns the value. */
export function formatField(value: unknown, field: Hyperparameter): string {
  if (value === undefined || (value === null && !field.isNullable)) return "";
  if (typeof value === "string" && field.kind !== "text") return value;
  if (Array.isArray(value)) return formatList(value);
  return typeof value === "object" && value !== null ? JSON.stringify(value) : formatList([value]);
}

/** Returns the text of the value that a typed text means. */
export function normaliseText(text: string, field: Hyperparameter): string {
  return formatField(readValue(text, field), field);
}

/** Splits a list of texts such as "Qwen/Qwen3-0.6B, /models/my model" at commas and semicolons outside quotes. */
function splitTexts(text: string): string[] {
  const parts = text.match(/\s*"(?:[^"\\]|\\.)*"\s*|[^,;\n]+/g) ?? [];
  return parts.flatMap((part) => unquote(part.trim()) || []);
}

function unquote(text: string): string {
  if (!/^".*"$/.test(text)) return text;
  try {
    return String(JSON.parse(text));
  } catch {
    return text;
  }
}

export function optionsOf(field: Exclude<Hyperparameter, { kind: "number" | "text" }>): readonly string[] {
  return field.kind === "flag" ? ["true", "false"] : field.options;
}

const maxSeeds = 1000;

/** Parses a list of seeds and ranges of seeds, such as "0-4, 7". */
export function parseSeeds(text: string): Parsed<number> {
  const seeds: number[] = [];
  for (const part of splitList(text.replaceAll(/\s*[-–]\s*/g, "-"))) {
    const match = /^(\d+)(?:-(\d+))?$/.exec(part);
    if (!match) return { values: seeds, problem: `"${part}" is neither a seed like 7 nor a range like 0-4` };
    const from = Number(match[1]);
    const to = Number(match[2] ?? match[1]);
    if (to < from) return { values: seeds, problem: `the range ${part} runs backwards` };
    if (seeds.length + to - from + 1 > maxSeeds)
      return { values: seeds, problem: `${part} has too many seeds: at most ${maxSeeds}` };
    for (let seed = from; seed <= to; seed++) seeds.push(seed);
  }
  return { values: seeds };
}

/** Reads seeds as their list; text that cannot be read stays as it was typed. */
export function readSeeds(text: string): unknown {
  const { values, problem } = parseSeeds(text);
  return problem === undefined ? values : text;
}

/** Formats seeds as a text that `parseSeeds` reads: [0, 1, 2, 4] becomes "0-2, 4". */
export function formatSeeds(seeds: unknown): string {
  if (!Array.isArray(seeds)) return typeof seeds === "string" || typeof seeds === "number" ? String(seeds) : "";
  const ranges: { from: number; to: number }[] = [];
  if (!seeds.every((seed) => Number.isInteger(seed))) return formatList(seeds);
  for (const seed of seeds) {
    const last = ranges.at(-1);
    if (last && seed === last.to + 1) last.to = seed;
    else ranges.push({ from: seed, to: seed });
  }
  return ranges.map(({ from, to }) => (from === to ? String(from) : `${from}-${to}`)).join(", ");
}

export function formatList(values: readonly unknown[]): string {
  return values.map(formatOne).join(", ");
}

function formatOne(value: unknown): string {
  if (value === null) return "off";
  if (typeof value === "string") return /[",;\n]/.test(value) ? JSON.stringify(value) : value;
  return typeof value === "number" ? formatHyperparameter(value) : JSON.stringify(value);
}
