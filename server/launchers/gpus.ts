import { execFile } from "node:child_process";
import type { GpuUse } from "./launcher.ts";

const query = ["--query-gpu=index,name,utilization.gpu,memory.used,memory.total", "--format=csv,noheader,nounits"];

/** Asks `nvidia-smi` how busy the GPUs of this machine are. Null where it does not exist or does not answer. */
export async function readGpus(): Promise<GpuUse[] | null> {
  const answer = await new Promise<string | undefined>((resolve) => {
    execFile("nvidia-smi", query, { timeout: 5000 }, (error, stdout) => resolve(error ? undefined : stdout));
  });
  return answer === undefined ? null : parseGpus(answer);
}

/** `0, NVIDIA H200, 37, 1024, 143771`, a line per GPU. What a GPU does not tell (`[N/A]`) counts as 0. */
export function parseGpus(text: string): GpuUse[] {
  return text.split("\n").flatMap((line) => {
    const [index, name, use, used, total] = line.split(",").map((part) => part.trim());
    if (name === undefined || !/^\d+$/.test(index ?? "")) return [];
    const number = (word: string | undefined) => (/^\d+(\.\d+)?$/.test(word ?? "") ? Number(word) : 0);
    return [
      {
        index: Number(index),
        name,
        utilisation: number(use) / 100,
        memoryUsedMb: number(used),
        memoryTotalMb: number(total),
      },
    ];
  });
}

const everyMs = 10_000;

/** Asks now and then; undefined in between. It keeps nobody waiting: what it asks is told at a later call. */
export function makeGpuWatch(): () => GpuUse[] | null | undefined {
  let nextAtMs = 0;
  let answer: GpuUse[] | null | undefined;
  return () => {
    const known = answer;
    answer = undefined;
    if (Date.now() < nextAtMs) return known;
    nextAtMs = Date.now() + everyMs;
    void readGpus().then((gpus) => void (answer = gpus));
    return known;
  };
}
