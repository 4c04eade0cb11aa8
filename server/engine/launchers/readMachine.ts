import { execFile } from "node:child_process";
import { hostname } from "node:os";
import { Machine, machineMark } from "#trainer/spec/machine.ts";

/** Command line and environment with which the trainer inspects its machine. */
export type Looking = { command: readonly string[]; environment: NodeJS.ProcessEnv };

// Time limit for the inspection of a machine. It takes at most ten seconds once two processes have started, which may
// be slow on a busy machine.
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

const everyMs = 10 * 60_000;

/**
 * Returns a function that inspects the machine at its first call and then every ten minutes (ten seconds after a
 * failure). The function never blocks: it returns each result once, at a later call, and undefined otherwise.
 */
export function makeMachineWatch(ask: () => Promise<Machine>): () => Machine | undefined {
  let nextAtMs = 0;
  let answer: Machine | undefined;
  return () => {
    const known = answer;
    answer = undefined;
    if (Date.now() < nextAtMs) return known;
    nextAtMs = Date.now() + everyMs;
    void ask().then(
      (machine) => (answer = machine),
      () => (nextAtMs = Date.now() + everyMs / 60),
    );
    return known;
  };
}
