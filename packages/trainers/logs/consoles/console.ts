import type { LoggedStep } from "../point.ts";

/**
 * Reads a console log from its first line on. Undefined: not a line of the trainer. A line inside a block of
 * measurements but without any has empty values.
 */
export type ConsoleReader = (line: string) => LoggedStep | undefined;

/** Adds the prefix of the logger's other outputs to names. */
export function prefixed(prefix: string, values: Readonly<Record<string, number>>): Record<string, number> {
  return Object.fromEntries(Object.entries(values).map(([key, value]) => [`${prefix}${key}`, value]));
}
