import { z } from "zod";
import type { PythonProgram, PythonRun, Programs } from "#trainer/environments/programs.ts";

// The parent process is trusted: no validation.
const Asked = z.custom<PythonProgram>();

/** Runs a program sent by another process, to its end or until its operations are used up. */
export function answer(python: Programs["python"], request: unknown): PythonRun {
  return python(Asked.parse(request));
}
