import { z } from "zod";
import { LoggedObject, numbersOf, parseNumber, type LoggedStep } from "./point.ts";
import { parseJson } from "./pythonJson.ts";
import { stripColours } from "./text/pieces.ts";

/**
 * One line of verl's console logger, `step:12 - actor/pg_loss:-0.0031 - …`, whatever Ray puts before it; undefined for
 * any other line. Text values are left out, as the logger itself does.
 */
export function parseVerlConsole(line: string): LoggedStep | undefined {
  const match = /(?<![A-Za-z_/])step:(\d+) - (.*)$/.exec(stripColours(line));
  if (match?.[1] === undefined || match[2] === undefined) return undefined;
  const values: Record<string, number> = {};
  for (const part of match[2].split(" - ")) {
    // Keys may hold colons; the value follows the last one.
    const colon = part.lastIndexOf(":");
    const value = parseNumber(part.slice(colon + 1));
    if (colon > 0 && value !== undefined) values[part.slice(0, colon).trim()] = value;
  }
  return { step: Number(match[1]), values };
}

const FileLine = z.object({ step: z.int(), data: LoggedObject });

/** One line of verl's `file` logger. It writes NaN and ±Infinity as null: a gap that was a value. */
export function parseVerlFile(line: string): LoggedStep | undefined {
  const found = FileLine.safeParse(parseJson(line));
  if (!found.success) return undefined;
  const nulls: string[] = [];
  const values = numbersOf(found.data.data, nulls);
  for (const key of nulls) values[key] = NaN;
  return { step: found.data.step, values };
}
