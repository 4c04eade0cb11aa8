import { isMainThread, workerData } from "node:worker_threads";
import { serve } from "#trainer/confined/serve.ts";
import { loadPython } from "#trainer/python/loadPython.ts";
import { answer } from "./answer.ts";
import { keep, type Kept } from "./keep.ts";
import { parseArgument } from "./packageArgs.ts";

/** Two parts in one file, which is shipped with the trainer: the process that runs programs, and its keeper thread. */
if (isMainThread) {
  // Loaded before the first program, whose time limit it would otherwise use.
  const python = await loadPython(parseArgument(process.argv[2] ?? ""));
  serve((request) => answer(python, request));
} else {
  const kept: Kept = workerData;
  keep(kept);
}
