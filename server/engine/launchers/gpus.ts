import { execFile } from "node:child_process";
import { type Gpu, nvidiaQuery, parseNvidia, parseRocm, rocmQuery } from "#trainer/spec/gpus.ts";

/** Reads the state of this machine's GPUs through `nvidia-smi` or `rocm-smi`. Null if the machine has no GPU. */
export async function readGpus(): Promise<Gpu[] | null> {
  const gpus = parseNvidia(await ask("nvidia-smi", nvidiaQuery));
  const others = gpus.length > 0 ? gpus : parseRocm(await ask("rocm-smi", rocmQuery));
  return others.length > 0 ? others : null;
}

// Returns a command's output, even if it fails: it may fail for one GPU and still report the other GPUs.
async function ask(name: string, query: readonly string[]): Promise<string> {
  return await new Promise((resolve) => {
    execFile(name, query, { timeout: 5000 }, (_, stdout) => resolve(stdout));
  });
}

const everyMs = 10_000;

/**
 * Makes a function that reads the GPUs at most every 10 s. It never blocks: it returns each result once, at a later
 * call, and undefined otherwise.
 */
export function makeGpuWatch(): () => Gpu[] | null | undefined {
  let nextAtMs = 0;
  let answer: Gpu[] | null | undefined;
  return () => {
    const known = answer;
    answer = undefined;
    if (Date.now() < nextAtMs) return known;
    nextAtMs = Date.now() + everyMs;
    void readGpus().then((gpus) => void (answer = gpus));
    return known;
  };
}
