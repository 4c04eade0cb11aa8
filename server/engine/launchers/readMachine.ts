import { execFile } from "node:child_process";
import { hostname } from "node:os";
import { type Gpu, nvidiaQuery, parseNvidia, parseRocm, rocmQuery } from "#trainer/spec/gpus.ts";
import { Machine, machineMark } from "#trainer/spec/machine.ts";
import { askEvery } from "./pace.ts";

/** Command line and environment with which the trainer inspects its machine. */
export type Looking = { command: readonly string[]; environment: NodeJS.ProcessEnv };

// Time limit of an inspection in ms. It takes ten seconds, after two processes that start slowly on a busy machine.
const patienceMs = 90_000;

/** Runs the trainer's inspection of its machine. If the trainer reports nothing, the result describes the problem. */
export async function readMachine({ command, environment }: Looking): Promise<Machine> {
  const [program = "", ...args] = command;
  const answer = await new Promise<{ stdout: string; stderr: string; why: string | null }>((resolve) => {
    execFile(program, [...args, "--look"], { env: environment, timeout: patienceMs }, (error, stdout, stderr) => {
      const why = error?.killed === true ? `no answer within ${patienceMs / 1000} s` : (error?.message ?? null);
      resolve({ stdout, stderr, why });
    });
  });
  const line = answer.stdout.split("\n").find((each) => each.startsWith(machineMark));
  if (line !== undefined) return Machine.parse(JSON.parse(line.slice(machineMark.length)));
  const words = firstError(answer.stderr) ?? answer.why ?? "it printed nothing";
  return {
    host: hostname(),
    atMs: Date.now(),
    providers: {},
    isComplete: false,
    gpus: [],
    problem: `the trainer could not probe the machine: ${words}`,
  };
}

/** Returns the first line that names an error, otherwise the first nonempty line. */
function firstError(stderr: string): string | undefined {
  const lines = stderr.split("\n").map((line) => line.trim());
  return lines.find((line) => /^\w*Error\b.*: /.test(line)) ?? lines.find((line) => line !== "");
}

/** Returns a function that asks every ten minutes, or ten seconds after a failure, and gives each answer once. */
export function makeMachineWatch(ask: () => Promise<Machine>): () => Machine | undefined {
  return askEvery(10 * 60_000, ask, 10_000);
}

/** Reads the state of this machine's GPUs through `nvidia-smi` or `rocm-smi`. Null if the machine has no GPU. */
export async function readGpus(): Promise<Gpu[] | null> {
  const gpus = parseNvidia(await query("nvidia-smi", nvidiaQuery));
  const others = gpus.length > 0 ? gpus : parseRocm(await query("rocm-smi", rocmQuery));
  return others.length > 0 ? others : null;
}

// Returns a command's output, even if it fails: it may fail for one GPU and still report the other GPUs.
async function query(name: string, argv: readonly string[]): Promise<string> {
  return await new Promise((resolve) => {
    execFile(name, argv, { timeout: 5000 }, (_, stdout) => resolve(stdout));
  });
}
