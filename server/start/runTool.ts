import { spawn } from "node:child_process";
import { AppError } from "#packages/base";
import { root } from "./root.ts";

export type Tool = {
  what: string;
  script: string;
  args: readonly string[];
  env?: Record<string, string>;
  signal: AbortSignal;
};

/** Runs a program of node_modules to its end. If it fails, its output is shown, followed by a one-line summary. */
export async function runTool({ what, script, args, env = {}, signal }: Tool): Promise<void> {
  const child = spawn(process.execPath, [script, ...args], {
    cwd: root,
    env: { ...process.env, ...env },
    stdio: ["ignore", "pipe", "pipe"],
    signal,
  });
  const output: Buffer[] = [];
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk: Buffer) => output.push(chunk));
  const code = await new Promise<unknown>((resolve) => child.once("error", resolve).once("close", resolve));
  if (code === 0) return;
  signal.throwIfAborted();
  const text = Buffer.concat(output).toString();
  process.stderr.write(text);
  if (text.includes("ENOSPC"))
    throw new AppError("unavailable", `the disk is full: ${what} needs disk space below ${root}`);
  throw new AppError("internal", `${what} failed (above)`);
}
