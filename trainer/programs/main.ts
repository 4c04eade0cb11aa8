import { isMainThread, workerData } from "node:worker_threads";
import { serve } from "#trainer/confined/serve.ts";
import { loadPython } from "#trainer/python/loadPython.ts";
import { z } from "zod";
import type { PythonProgram } from "#trainer/environments/programs.ts";
import { keep, type Kept } from "./keep.ts";
import { parseArgument } from "./packageArgs.ts";

// Requests need no validation, because they come from the trusted parent process.
const Asked = z.custom<PythonProgram>();

/** Both the process that runs programs and its keeper thread start here, because the trainer ships one file. */
if (isMainThread) {
  // Python is loaded before the first request, since loading would count towards a program's time limit.
  const python = await loadPython(parseArgument(process.argv[2] ?? ""));
  serve((request) => python(Asked.parse(request)));
} else {
  const kept: Kept = workerData;
  keep(kept);
}
