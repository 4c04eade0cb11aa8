/** What a program in Python printed and how it ended. */
export type PythonRun = {
  stdout: string;
  /** The last line CPython 3.11 prints of the traceback; empty where nothing was raised. */
  error: string;
  isTimeout: boolean;
};

export type PythonProgram = {
  readonly source: string;
  /** Python that runs before the program, in the same namespace; run once for all programs that begin with it. */
  readonly prelude?: string;
  /** Jumps and calls, in steps of 50; counted, never timed, so that a program has one outcome on every machine. */
  readonly maxOperations?: number;
  /** Characters kept of what is printed: half from the start, half from the end. */
  readonly maxOutputChars?: number;
};

/** What runs the programs of actions: environments are pure and have no interpreter. */
export type Programs = { readonly python: (program: PythonProgram) => PythonRun };
