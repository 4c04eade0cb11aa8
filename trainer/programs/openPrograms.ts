import { fileURLToPath } from "node:url";
import { MessageChannel, receiveMessageOnPort, Worker } from "node:worker_threads";
import { z } from "zod";
import type { Answer, Limits } from "#trainer/confined/confine.ts";
import type { Programs, PythonProgram, PythonRun } from "#trainer/environments/programs.ts";
import { loadPython } from "#trainer/python/loadPython.ts";
import { noPackages, type Packages } from "#trainer/python/packages.ts";
import type { Kept, KeptAnswer } from "./keep.ts";
import { toArgument } from "./packageArgs.ts";

export type OpenPrograms = Programs & { close(): Promise<void> };

/**
 * Counting ends every countable program within a tenth of this limit, also on a slow machine. The clock is for the
 * others. It measures CPU time, so that a program is cut off equally on a busy, suspended or idle machine.
 */
export const programLimits: Limits = { cpuMs: 4_000, wallMs: 120_000, memoryBytes: 2 ** 29 };

/**
 * A process that runs the programs of actions. Requests block the current step, because environments are pure and have
 * no clock. A program over the time limit is a timed-out action, one over the memory limit a `MemoryError`.
 */
export async function openPrograms(limits = programLimits, packages = noPackages): Promise<OpenPrograms> {
  const numAnswered = new Int32Array(new SharedArrayBuffer(4));
  let numAsked = 1;
  const { port1: port, port2 } = new MessageChannel();
  const kept: Kept = { args: programArgs(packages), limits, port: port2, numAnswered };
  const keeper = startKeeper(kept);
  // An empty program reports a broken interpreter before the first episode.
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
    // An answer is counted after it is in the port, so it may be read before it is counted.
    for (let seen = Atomics.load(numAnswered, 0); seen < numAsked; seen = Atomics.load(numAnswered, 0)) {
      // The process may use its time limit twice, and needs time to start.
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

// The child process is trusted: no validation.
const Kept = z.custom<KeptAnswer>();
const Run = z.custom<PythonRun>();

/** Results of programs killed at a limit, the same as after counting. */
const misses: Record<"time" | "memory", PythonRun> = {
  time: { stdout: "", error: "", isTimeout: true },
  memory: { stdout: "", error: "MemoryError", isTimeout: false },
};

/** The bundled program lies beside the trainer; the source needs a loader for TypeScript. */
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

/** Loads the Python interpreter into this thread. A program that cannot be counted would block it. */
export async function loadPrograms(packages = noPackages): Promise<Programs> {
  const key = packages.names.join(" ");
  const programs = loading.get(key) ?? loadPython(packages).then((python) => ({ python }));
  loading.set(key, programs);
  return programs;
}

/** One interpreter per set of packages in this thread: programs leave no trace in it. */
const loading = new Map<string, Promise<Programs>>();
