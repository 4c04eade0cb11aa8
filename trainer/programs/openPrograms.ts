import { fileURLToPath } from "node:url";
import { MessageChannel, receiveMessageOnPort, Worker } from "node:worker_threads";
import { z } from "zod";
import type { Answer, Limits } from "#trainer/confined/confine.ts";
import type { Programs, PythonProgram, PythonRun } from "#trainer/environments/programs.ts";
import { noPackages, type Packages } from "#trainer/python/packages.ts";
import type { Kept, KeptAnswer } from "./keep.ts";
import { toArgument } from "./packageArgs.ts";

export type OpenPrograms = Programs & { close(): Promise<void> };

/**
 * Counting ends every program that it can count within a tenth of this, also on a slow machine; the clock is for the
 * others. Processor time, so that the same program is cut off on a busy machine or a suspended one as on an idle one.
 */
export const programLimits: Limits = { cpuMs: 4_000, wallMs: 120_000, memoryBytes: 2 ** 29 };

/**
 * A process that runs the programs of actions, asked without leaving the current step: environments are pure and have
 * no clock. A program that misses the deadline is a timed-out action, one that takes all memory a `MemoryError`.
 */
export async function openPrograms(limits = programLimits, packages = noPackages): Promise<OpenPrograms> {
  const numAnswered = new Int32Array(new SharedArrayBuffer(4));
  let numAsked = 1;
  const { port1: port, port2 } = new MessageChannel();
  const kept: Kept = { args: programArgs(packages), limits, port: port2, numAnswered };
  const keeper = startKeeper(kept);
  // Whether it works at all is known before the first episode.
  port.postMessage({ source: "" } satisfies PythonProgram);
  const first = await new Promise<unknown>((resolve, reject) => {
    port.once("message", resolve);
    keeper.once("error", reject);
  });
  expectAnswer(first);
  keeper.unref();
  const ask = (request: PythonProgram): Answer => {
    numAsked += 1;
    port.postMessage(request);
    // An answer is counted after it lies in the port, so the first one may be read before it is counted.
    for (let seen = Atomics.load(numAnswered, 0); seen < numAsked; seen = Atomics.load(numAnswered, 0)) {
      // The process has this time twice, and some to start.
      if (Atomics.wait(numAnswered, 0, seen, 3 * limits.wallMs) === "timed-out")
        throw new Error("no word of a program");
    }
    return expectAnswer(receiveMessageOnPort(port)?.message);
  };
  return {
    python(program) {
      const answer = ask(program);
      return answer.kind === "done" ? Run.parse(answer.value) : misses[answer.limit];
    },
    close: async () => {
      port.close();
      await keeper.terminate();
    },
  };
}

function expectAnswer(message: unknown): Answer {
  const answer = Kept.parse(message);
  if (answer.kind === "problem") throw new Error(`a program could not be run: ${answer.text}`);
  return answer;
}

// The process that this one started made them.
const Kept = z.custom<KeptAnswer>();
const Run = z.custom<PythonRun>();

/** As if it had been counted out. */
const misses: Record<"time" | "memory", PythonRun> = {
  time: { stdout: "", error: "", isTimeout: true },
  memory: { stdout: "", error: "MemoryError", isTimeout: false },
};

/** Beside the trainer when that is one file; as source it needs a loader for TypeScript. */
const isSource = import.meta.url.endsWith(".ts");
const entry = new URL(isSource ? "./main.ts" : "./programs.mjs", import.meta.url);

function programArgs(packages: Packages): string[] {
  const loader = isSource ? ["--import", import.meta.resolve("tsx")] : [];
  return [...loader, fileURLToPath(entry), toArgument(packages)];
}

function startKeeper(kept: Kept): Worker {
  const options = { workerData: kept, transferList: [kept.port], execArgv: [] };
  if (!isSource) return new Worker(entry, options);
  const [loader, source] = [import.meta.resolve("tsx/esm/api"), entry.href].map((url) => JSON.stringify(url));
  const start = `import(${loader}).then(({ register }) => { register(); return import(${source}); })`;
  return new Worker(start, { ...options, eval: true });
}
