import { z } from "zod";
import type { PythonProgram, PythonRun, Programs } from "#trainer/environments/programs.ts";

// The trainer made it.
const Asked = z.custom<PythonProgram>();

/** Runs a program that another process sent, here and now, to its end or until it has used up its operations. */
export function answer(python: Programs["python"], request: unknown): PythonRun {
  return python(Asked.parse(request));
}
