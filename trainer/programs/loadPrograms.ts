import type { Programs } from "#trainer/environments/programs.ts";
import { loadPython } from "#trainer/python/loadPython.ts";
import { noPackages } from "#trainer/python/packages.ts";
import type { EnvironmentSpec } from "#trainer/spec/environment.ts";
import { runsPython } from "./runsPython.ts";

/** Loads the interpreter for an environment's programs into this thread. A program that cannot be counted blocks it. */
export async function loadPrograms(id: EnvironmentSpec["id"], packages = noPackages): Promise<Programs | undefined> {
  if (!runsPython(id)) return undefined;
  const key = packages.names.join(" ");
  const programs = loading.get(key) ?? loadPython(packages).then((python) => ({ python }));
  loading.set(key, programs);
  return programs;
}

/** One interpreter per set of packages in this thread: programs leave no trace in it. */
const loading = new Map<string, Promise<Programs>>();
