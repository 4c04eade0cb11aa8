import { isMainThread, workerData } from "node:worker_threads";
import { serve } from "#trainer/confined/serve.ts";
import { EnvironmentSpec } from "#trainer/spec/environment.ts";
import { answer } from "./answer.ts";
import { keep, type Kept } from "./keep.ts";
import { loadPrograms } from "./loadPrograms.ts";

/** Two parts in one file, which travels with the trainer: the process that runs programs, and the thread that keeps it. */
if (isMainThread) {
  // Before the first program, whose time it would take. The last argument is the process's limits.
  const programs = await loadPrograms(EnvironmentSpec.parse({ id: process.argv.at(-2) }).id);
  serve((request) => answer(programs, request));
} else {
  const kept: Kept = workerData;
  keep(kept);
}
