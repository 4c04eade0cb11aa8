import { execFile } from "node:child_process";
import { type Gpu, nvidiaQuery, parseNvidia, parseRocm, rocmQuery } from "#trainer/spec/gpus.ts";

/** GPUs of this machine. `problem` is the error if `nvidia-smi` exists but reports no GPU. */
export type GpusHere = { gpus: Gpu[]; problem: string | null };

const patienceMs = 5000;

/** Lists this machine's GPUs with `nvidia-smi`, or with `rocm-smi` if `nvidia-smi` finds none. */
export async function readGpus(): Promise<GpusHere> {
  const nvidia = await ask("nvidia-smi", nvidiaQuery);
  const gpus = parseNvidia(nvidia?.output ?? "");
  if (gpus.length > 0) return { gpus, problem: null };
  const others = parseRocm((await askRocm()) ?? "");
  if (others.length > 0) return { gpus: others, problem: null };
  return { gpus: [], problem: nvidia === undefined ? null : `nvidia-smi: ${nvidia.words}` };
}

/** Returns the output of AMD's `rocm-smi`; undefined if the program does not exist. */
export async function askRocm(): Promise<string | undefined> {
  return (await ask("rocm-smi", rocmQuery))?.output;
}

/** Runs a program; undefined if it does not exist. `words` is the time-out message or the first line printed. */
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
