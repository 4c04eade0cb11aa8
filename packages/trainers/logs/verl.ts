import { z } from "zod";
import { LoggedObject, numbersOf, parseNumber, type LoggedStep } from "./point.ts";
import { parseJson } from "./pythonJson.ts";
import { stripColours } from "./text/pieces.ts";

/**
 * Parses a line of verl's console logger, `step:12 - actor/pg_loss:-0.0031 - …`, with any Ray prefix; undefined for any
 * other line. Text values are dropped, as by the logger itself.
 */
export function parseVerlConsole(line: string): LoggedStep | undefined {
  const match = /(?<![A-Za-z_/])step:(\d+) - (.*)$/.exec(stripColours(line));
  if (match?.[1] === undefined || match[2] === undefined) return undefined;
  const values: Record<string, number> = {};
  for (const part of match[2].split(" - ")) {
    // Keys may contain colons; the value follows the last one.
    const colon = part.lastIndexOf(":");
    const value = parseNumber(part.slice(colon + 1));
    if (colon > 0 && value !== undefined) values[part.slice(0, colon).trim()] = value;
  }
  return { step: Number(match[1]), values };
}

const FileLine = z.object({ step: z.int(), data: LoggedObject });

/** Parses a line of verl's `file` logger. It writes NaN and ±Infinity as null, which becomes a gap. */
export function parseVerlFile(line: string): LoggedStep | undefined {
  const found = FileLine.safeParse(parseJson(line));
  if (!found.success) return undefined;
  const nulls: string[] = [];
  const values = numbersOf(found.data.data, nulls);
  for (const key of nulls) values[key] = NaN;
  return { step: found.data.step, values };
}
