import { z } from "zod";
import type { Programs, PythonRun } from "#trainer/environments/programs.ts";
import type { Program, SandboxLimits, SandboxRun } from "#trainer/environments/sandbox/sandbox.ts";

/** A program to run, as it is sent to the process that runs it. */
export type ProgramRequest =
  | { kind: "python"; source: string; prelude: string }
  | { kind: "javascript"; program: Program; limits: SandboxLimits | undefined };

// Our own trainer made it.
const Asked = z.custom<ProgramRequest>();

/** Runs it here and now, to its end or until it has used up what is counted. */
export function answer({ python, sandbox }: Partial<Programs>, request: unknown): PythonRun | SandboxRun {
  const asked = Asked.parse(request);
  if (asked.kind === "python" && python) return python(asked);
  if (asked.kind === "javascript" && sandbox) return sandbox.run(asked.program, asked.limits);
  throw new Error(`this process runs no ${asked.kind}`);
}
