/** Output of a Python program and how it ended. */
export type PythonRun = {
  stdout: string;
  /** The last line of the traceback as CPython 3.11 prints it; empty if nothing was raised. */
  error: string;
  isTimeout: boolean;
};

export type PythonProgram = {
  readonly source: string;
  /** Python that runs before the program, in its namespace; once for all programs with the same prelude. */
  readonly prelude?: string;
  /**
   * Limit on jumps and calls, in steps of 50. Operations are counted, not timed, so the outcome is the same on every
   * machine.
   */
  readonly maxOperations?: number;
  /** Characters of output that are kept: half from the start, half from the end. */
  readonly maxOutputChars?: number;
};

/** Interpreters for programs in actions. Environments are pure and contain none. */
export type Programs = { readonly python: (program: PythonProgram) => PythonRun };
