import type { LoggedStep } from "../point.ts";

/**
 * Reads one console log line by line from its first line on. Undefined: the line is none of the trainer's. A line that
 * belongs to a block of measurements and holds none has no values.
 */
export type ConsoleReader = (line: string) => LoggedStep | undefined;

/** Numbers under the names that a logger's other outputs give them. */
export function prefixed(prefix: string, values: Readonly<Record<string, number>>): Record<string, number> {
  return Object.fromEntries(Object.entries(values).map(([key, value]) => [`${prefix}${key}`, value]));
}
