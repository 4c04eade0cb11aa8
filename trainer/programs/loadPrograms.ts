import type { Programs } from "#trainer/environments/programs.ts";
import { loadPython } from "#trainer/python/loadPython.ts";
import { noPackages } from "#trainer/python/packages.ts";
import type { EnvironmentSpec } from "#trainer/spec/environment.ts";
import { runsPython } from "./runsPython.ts";

/** What runs the programs of an environment's actions in this thread; a program that cannot be counted holds it up. */
export async function loadPrograms(id: EnvironmentSpec["id"], packages = noPackages): Promise<Programs | undefined> {
  if (!runsPython(id)) return undefined;
  const key = packages.names.join(" ");
  const programs = loading.get(key) ?? loadPython(packages).then((python) => ({ python }));
  loading.set(key, programs);
  return programs;
}

/** One for all environments of this thread with the same packages: programs leave nothing in it. */
const loading = new Map<string, Promise<Programs>>();
