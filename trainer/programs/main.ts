import { isMainThread, workerData } from "node:worker_threads";
import { serve } from "#trainer/confined/serve.ts";
import { loadPython } from "#trainer/python/loadPython.ts";
import { z } from "zod";
import type { PythonProgram, PythonRun, Programs } from "#trainer/environments/programs.ts";
import { keep, type Kept } from "./keep.ts";
import { parseArgument } from "./packageArgs.ts";

// The parent process is trusted: no validation.
const Asked = z.custom<PythonProgram>();

/** Runs a program sent by another process, to its end or until its operations are used up. */
function answer(python: Programs["python"], request: unknown): PythonRun {
  return python(Asked.parse(request));
}

/** Two parts in one file, which is shipped with the trainer: the process that runs programs, and its keeper thread. */
if (isMainThread) {
  // Loaded before the first program, whose time limit it would otherwise use.
  const python = await loadPython(parseArgument(process.argv[2] ?? ""));
  serve((request) => answer(python, request));
} else {
  const kept: Kept = workerData;
  keep(kept);
}
