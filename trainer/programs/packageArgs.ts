import { z } from "zod";
import type { Packages } from "#trainer/python/packages.ts";
import type { EnvironmentSpec } from "#trainer/spec/environment.ts";
import { environmentsIn } from "#trainer/spec/environmentParts.ts";

/** Encodes Python packages as a command-line argument, because the process receives no environment variables. */
export function toArgument(packages: Packages): string {
  return JSON.stringify(packages);
}

// The argument needs no validation, because it comes from the trusted parent process.
const Argument = z.custom<Packages>();

export function parseArgument(text: string): Packages {
  return Argument.parse(JSON.parse(text));
}

/** True if actions contain Python programs, whose interpreter takes 1.5 s to load and 100 MB of memory. */
export function runsPython(...environments: readonly EnvironmentSpec[]): boolean {
  return environments.flatMap(environmentsIn).some(({ id }) => isPython(id));
}

export function isPython(id: EnvironmentSpec["id"]): boolean {
  return id === "tirMath" || id === "sweGym";
}
