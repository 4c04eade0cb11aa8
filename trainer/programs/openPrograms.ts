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
 * Limits of a Python program in an action. Nearly all programs end by their operation count, within a tenth of the
 * time limit even on a slow machine. The time limit ends programs whose operations cannot be counted. It counts CPU
 * time, so that a busy, suspended or idle machine makes no difference.
 */
export const programLimits: Limits = { cpuMs: 4_000, wallMs: 120_000, memoryBytes: 2 ** 29 };

/**
 * Starts a process that runs the Python programs in the policy's actions. A request blocks the calling thread,
 * because environments are pure and synchronous. A program over the time limit counts as a timed-out action, a
 * program over the memory limit as a `MemoryError`.
 */
export async function openPrograms(limits = programLimits, packages = noPackages): Promise<OpenPrograms> {
  const numAnswered = new Int32Array(new SharedArrayBuffer(4));
  let numAsked = 1;
  const { port1: port, port2 } = new MessageChannel();
  const kept: Kept = { args: programArgs(packages), limits, port: port2, numAnswered };
  const keeper = startKeeper(kept);
  // An empty program is run first, so that a broken interpreter is reported before the first episode.
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
    // The count is increased only after the answer is in the port, so an answer may be read before it is counted.
    for (let seen = Atomics.load(numAnswered, 0); seen < numAsked; seen = Atomics.load(numAnswered, 0)) {
      // The waiting time covers two full time limits of the process, and its start.
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

// Answers need no validation, because they come from the trusted child process.
const Kept = z.custom<KeptAnswer>();
const Run = z.custom<PythonRun>();

/** Results of programs killed at a limit; the same as when the interpreter itself stops them. */
const misses: Record<"time" | "memory", PythonRun> = {
  time: { stdout: "", error: "", isTimeout: true },
  memory: { stdout: "", error: "MemoryError", isTimeout: false },
};

/** True if the trainer runs from its TypeScript source, which needs a loader; false in the bundled program. */
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

/** Loads the interpreter into this thread, which a program with uncountable operations would block. */
export async function loadPrograms(packages = noPackages): Promise<Programs> {
  const key = packages.names.join(" ");
  const programs = loading.get(key) ?? loadPython(packages).then((python) => ({ python }));
  loading.set(key, programs);
  return programs;
}

/** Interpreters in this thread, one per set of packages. Programs leave no trace, so an interpreter can be shared. */
const loading = new Map<string, Promise<Programs>>();
