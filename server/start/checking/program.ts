import { spawn } from "node:child_process";
import { createRequire } from "node:module";
import { join } from "node:path";
import { root } from "../root.ts";

const require = createRequire(import.meta.url);

export type Ended = { code: number; output: string };

export function programOf(packageName: string, name = packageName): string {
  const folder = join(root, "node_modules", packageName);
  const { bin }: { bin: string | Record<string, string> } = require(join(folder, "package.json"));
  return join(folder, typeof bin === "string" ? bin : (bin[name] ?? ""));
}

type Setting = { isQuiet?: boolean; env?: Record<string, string>; signal?: AbortSignal };

/** Runs a Node.js program. With `isQuiet`, its output is returned; otherwise it goes to the terminal. */
export function runProgram(
  args: readonly string[],
  { isQuiet = false, env = {}, signal }: Setting = {},
): Promise<Ended> {
  const stdio = isQuiet ? "pipe" : "inherit";
  const child = spawn(process.execPath, args, {
    cwd: root,
    stdio: ["ignore", stdio, stdio],
    env: { ...process.env, ...env },
    signal,
  });
  const chunks: Buffer[] = [];
  for (const stream of [child.stdout, child.stderr]) stream?.on("data", (chunk: Buffer) => chunks.push(chunk));
  return new Promise((resolve) => {
    child.once("error", (error) => resolve({ code: 1, output: String(error) }));
    child.once("close", (code) => resolve({ code: code ?? 1, output: Buffer.concat(chunks).toString() }));
  });
}
