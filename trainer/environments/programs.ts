/** Output of a Python program, and its error if it raised one. */
export type PythonRun = {
  stdout: string;
  /** The last line of the traceback as CPython 3.11 prints it; empty if nothing was raised. */
  error: string;
  isTimeout: boolean;
};

export type PythonProgram = {
  readonly source: string;
  /** Python code that runs before the program, in its namespace. A prelude runs once for all programs that share it. */
  readonly prelude?: string;
  /**
   * Maximum number of operations (jumps and calls), checked after every 50. Operations are counted, not timed, so that
   * the outcome is the same on every machine.
   */
  readonly maxOperations?: number;
  /** Maximum number of output characters that are kept: half from the start, half from the end. */
  readonly maxOutputChars?: number;
};

/** Python interpreters that run the programs in actions. Environments are pure, so callers pass the interpreters in. */
export type Programs = { readonly python: (program: PythonProgram) => PythonRun };
