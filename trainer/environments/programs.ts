import type { PythonRun } from "./python/runPython.ts";
import type { Sandbox } from "./sandbox/sandbox.ts";

/** Where environments have the programs of actions run; without one they run them themselves, and wait for their end. */
export type Programs = {
  /** A program of a solution, with `final_answer` defined: `runSolution`. */
  readonly python: (code: string) => PythonRun;
  readonly sandbox: Sandbox;
};
