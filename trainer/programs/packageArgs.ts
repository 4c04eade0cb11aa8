import { z } from "zod";
import type { Packages } from "#trainer/python/packages.ts";

/** Packages as an argument of a process, which gets nothing of our environment. */
export function toArgument(packages: Packages): string {
  return JSON.stringify(packages);
}

// The process that started this one made it.
const Argument = z.custom<Packages>();

export function parseArgument(text: string): Packages {
  return Argument.parse(JSON.parse(text));
}
