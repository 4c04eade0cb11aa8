import { spawn } from "node:child_process";
import { splitSecrets } from "#server/domain/fleet/secrets.ts";
import { passedVariables } from "../passedVariables.ts";
import { submitEnvironment } from "./sbatchText.ts";
import type { ToolResult } from "./submission.ts";

export type Tool = "sbatch" | "squeue" | "sacct" | "scancel";
/** Runs a Slurm program. A missing program gives exit code 127. */
export type AskSlurm = (tool: Tool, argv: readonly string[]) => Promise<ToolResult>;

const maxOutputBytes = 64 << 20;

/** Slurm's programs on the PATH. A hanging one is killed after `timeoutMs`, with an unknown result. */
export function makeAskSlurm(from: Readonly<Record<string, string | undefined>>, timeoutMs = 30_000): AskSlurm {
  // Slurm keeps what sbatch is started with: secrets go into a file of the attempt.
  const passed = { ...splitSecrets(passedVariables(from)).plain, SLURM_CONF: from["SLURM_CONF"] };
  const env: NodeJS.ProcessEnv = { ...submitEnvironment(passed), LC_ALL: "C", NODE_ENV: "production" };
  const takeTurn = makeTurns(8);
  const call: AskSlurm = (tool, argv) =>
    new Promise((resolve) => {
      const child = spawn(tool, argv, {
        env,
        stdio: ["ignore", "pipe", "pipe"],
        timeout: timeoutMs,
        killSignal: "SIGKILL",
      });
      const chunks: Record<"stdout" | "stderr", Buffer[]> = { stdout: [], stderr: [] };
      let numBytes = 0;
      for (const name of ["stdout", "stderr"] as const) {
        child[name].on("data", (chunk: Buffer) => {
          numBytes += chunk.byteLength;
          if (numBytes <= maxOutputBytes) chunks[name].push(chunk);
        });
      }
      child.once("error", (error) =>
        resolve({ exitCode: 127, stdout: "", stderr: `${tool}: error: ${error.message}` }),
      );
      child.once("close", (exitCode, signal) => {
        if (signal !== null || numBytes > maxOutputBytes) return resolve({ timedOut: true });
        const [stdout, stderr] = [chunks.stdout, chunks.stderr].map((parts) => Buffer.concat(parts).toString("utf8"));
        return resolve({ exitCode: exitCode ?? 1, stdout: stdout ?? "", stderr: stderr ?? "" });
      });
    });
  // Stopping a sweep cancels hundreds of jobs at once; the controller serves all users.
  return (tool, argv) => (tool === "scancel" ? takeTurn(() => call(tool, argv)) : call(tool, argv));
}

/** Limits concurrency to `most` calls. */
function makeTurns(most: number): <Result>(work: () => Promise<Result>) => Promise<Result> {
  const lanes: Promise<unknown>[] = Array.from({ length: most }, () => Promise.resolve());
  return async (work) => {
    const before = lanes.shift();
    const done = (before ?? Promise.resolve()).then(work);
    lanes.push(done.catch(() => undefined));
    return await done;
  };
}
