import type { Programs } from "#trainer/environments/programs.ts";
import { loadPython } from "#trainer/python/loadPython.ts";
import type { EnvironmentId } from "#trainer/spec/environment.ts";
import { runsPython } from "./runsPython.ts";

/** What runs the programs of an environment's actions in this thread; a program that cannot be counted holds it up. */
export async function loadPrograms(id: EnvironmentId): Promise<Programs | undefined> {
  if (!runsPython(id)) return undefined;
  loading ??= loadPython().then((python) => ({ python }));
  return loading;
}

/** One for all environments of this thread: programs leave nothing in it. */
let loading: Promise<Programs> | undefined;
