import { z } from "zod";
import type { PythonRun } from "#trainer/environments/python/runPython.ts";
import type { Program, Sandbox, SandboxLimits, SandboxRun } from "#trainer/environments/sandbox/sandbox.ts";
import { runSolution } from "#trainer/environments/tirMath/feedback.ts";

/** A program to run, as it is sent to the process that runs it. */
export type ProgramRequest =
  { kind: "python"; code: string } | { kind: "javascript"; program: Program; limits: SandboxLimits | undefined };

// Our own trainer made it.
const Asked = z.custom<ProgramRequest>();

/** Runs it here and now, to its end or until it has used up what is counted. */
export function answer(sandbox: Sandbox, request: unknown): PythonRun | SandboxRun {
  const asked = Asked.parse(request);
  return asked.kind === "python" ? runSolution(asked.code) : sandbox.run(asked.program, asked.limits);
}
