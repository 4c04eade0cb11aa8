import { isMainThread, workerData } from "node:worker_threads";
import { serve } from "#trainer/confined/serve.ts";
import { loadPython } from "#trainer/python/loadPython.ts";
import { z } from "zod";
import type { PythonProgram, PythonRun, Programs } from "#trainer/environments/programs.ts";
import { keep, type Kept } from "./keep.ts";
import { parseArgument } from "./packageArgs.ts";

// Requests need no validation, because they come from the trusted parent process.
const Asked = z.custom<PythonProgram>();

/** Runs a Python program sent by another process, until its end or until its limit of operations is exceeded. */
function answer(python: Programs["python"], request: unknown): PythonRun {
  return python(Asked.parse(request));
}

/**
 * This file is the entry point of both the process that runs programs and the thread that supervises it, because the
 * trainer ships one file for both.
 */
if (isMainThread) {
  // Python is loaded before the first request, since loading would count towards a program's time limit.
  const python = await loadPython(parseArgument(process.argv[2] ?? ""));
  serve((request) => answer(python, request));
} else {
  const kept: Kept = workerData;
  keep(kept);
}
