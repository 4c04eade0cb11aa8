import type { Sandbox } from "./sandbox/sandbox.ts";

/** What a program in Python printed and how it ended. */
export type PythonRun = {
  stdout: string;
  /** The last line CPython 3.11 prints of the traceback; empty where nothing was raised. */
  error: string;
  isTimeout: boolean;
};

/** What runs the programs of actions: environments are pure and have no interpreter of their own. */
export type Programs = {
  /** A program after the definitions of `prelude`, in the same namespace. */
  readonly python: (program: { source: string; prelude: string }) => PythonRun;
  readonly sandbox: Sandbox;
};
