import { AppError } from "#packages/base";
import { runProgram } from "./checking/program.ts";
import { root } from "./root.ts";

export type Tool = {
  what: string;
  script: string;
  args: readonly string[];
  env?: Record<string, string>;
  signal: AbortSignal;
};

export async function runTool({ what, script, args, env = {}, signal }: Tool): Promise<void> {
  const { code, output } = await runProgram([script, ...args], { isQuiet: true, env, signal });
  if (code === 0) return;
  signal.throwIfAborted();
  process.stderr.write(output);
  if (output.includes("ENOSPC"))
    throw new AppError("unavailable", `the disk is full: ${what} needs disk space below ${root}`);
  throw new AppError("internal", `${what} failed (above)`);
}
