import type { Programs } from "#trainer/environments/programs.ts";
import { makeSandbox } from "#trainer/environments/sandbox/sandbox.ts";
import { runsPython } from "./runsPython.ts";
import { loadPython, type Python } from "#trainer/python/loadPython.ts";
import type { EnvironmentId } from "#trainer/spec/environment.ts";

/** What runs the programs of an environment's actions in this thread; a program that cannot be counted holds it up. */
export async function loadPrograms(id: EnvironmentId): Promise<Partial<Programs>> {
  if (runsPython(id)) return { python: await (python ??= loadPython()) };
  return id === "sweGym" ? { sandbox: await makeSandbox() } : {};
}

/** One for all environments of this thread: programs leave nothing in it. */
let python: Promise<Python> | undefined;
