import { execFile } from "node:child_process";
import { type Gpu, nvidiaQuery, parseNvidia, parseRocm, rocmQuery } from "#trainer/spec/gpus.ts";

/** GPUs of this machine as their drivers' tools report them; `problem` is the error if such a tool exists but fails. */
export type GpusHere = { gpus: Gpu[]; problem: string | null };

const patienceMs = 5000;

/** Runs `nvidia-smi`, and `rocm-smi` if `nvidia-smi` finds no GPU. */
export async function readGpus(): Promise<GpusHere> {
  const nvidia = await ask("nvidia-smi", nvidiaQuery);
  const gpus = parseNvidia(nvidia?.output ?? "");
  if (gpus.length > 0) return { gpus, problem: null };
  const others = parseRocm((await askRocm()) ?? "");
  if (others.length > 0) return { gpus: others, problem: null };
  return { gpus: [], problem: nvidia === undefined ? null : `nvidia-smi: ${nvidia.words}` };
}

/** Output of `rocm-smi`; undefined if it fails. */
export async function askRocm(): Promise<string | undefined> {
  return (await ask("rocm-smi", rocmQuery))?.output;
}

/** Returns a program's output, with its first message in `words`, or undefined if the program does not exist. */
async function ask(name: string, args: readonly string[]): Promise<{ output: string; words: string } | undefined> {
  return await new Promise((resolve) => {
    execFile(name, args, { timeout: patienceMs }, (error, stdout, stderr) => {
      if (error && "code" in error && error.code === "ENOENT") return resolve(undefined);
      const [first] = `${stdout}\n${stderr}`.split("\n").filter((line) => line.trim() !== "");
      const late = error?.killed === true ? `no answer within ${patienceMs / 1000} s` : undefined;
      resolve({ output: stdout, words: late ?? first?.trim() ?? "it printed nothing" });
    });
  });
}
