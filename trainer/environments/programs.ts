/** Output of a Python program, and its error if it raised one. */
export type PythonRun = {
  stdout: string;
  /** The last line of the traceback as CPython 3.11 prints it; empty if nothing was raised. */
  error: string;
  isTimeout: boolean;
};

export type PythonProgram = {
  readonly source: string;
  /** Python code that runs in the program's namespace before it, once for all programs that share it. */
  readonly prelude?: string;
  /** Limit on Python operations (jumps and calls), checked every 50: counted, so that it is equal on every machine. */
  readonly maxOperations?: number;
  /** Maximum number of output characters that are kept: half from the start of the output, half from its end. */
  readonly maxOutputChars?: number;
};

/** Interpreters for the programs in actions. Environments are pure functions, so callers pass the interpreters in. */
export type Programs = { readonly python: (program: PythonProgram) => PythonRun };
