import { isMainThread, workerData } from "node:worker_threads";
import { serve } from "#trainer/confined/serve.ts";
import { loadPython } from "#trainer/python/loadPython.ts";
import { z } from "zod";
import type { PythonProgram, PythonRun, Programs } from "#trainer/environments/programs.ts";
import { keep, type Kept } from "./keep.ts";
import { parseArgument } from "./packageArgs.ts";

// Requests are not validated, because they come from the parent process, which is trusted.
const Asked = z.custom<PythonProgram>();

/** Runs a program sent by another process until its end or until its operations are exceeded. */
function answer(python: Programs["python"], request: unknown): PythonRun {
  return python(Asked.parse(request));
}

/**
 * This file has two parts: the process that runs programs, and its keeper thread. The two parts share a file, because
 * the trainer ships one file for both.
 */
if (isMainThread) {
  // Python is loaded before the first program, since loading would count towards the program's time limit.
  const python = await loadPython(parseArgument(process.argv[2] ?? ""));
  serve((request) => answer(python, request));
} else {
  const kept: Kept = workerData;
  keep(kept);
}
