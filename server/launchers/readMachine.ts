import { execFile } from "node:child_process";
import { hostname } from "node:os";
import { Machine, machineMark } from "#trainer/spec/machine.ts";

/** The trainer's argv, and what it finds in its environment. */
export type Looking = { command: readonly string[]; environment: NodeJS.ProcessEnv };

// The trainer looks for ten seconds at most, and two of its processes have to start before where many are busy.
const patienceMs = 90_000;

/** Asks the trainer about the machine that it is on. Never fails: what kept it from answering is the machine's problem. */
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
    problem: `the trainer could not look at the machine: ${words}`,
  };
}

/** Node.js prints place and source before an error, its stack and version behind. */
function firstError(stderr: string): string | undefined {
  const lines = stderr.split("\n").map((line) => line.trim());
  return lines.find((line) => /^\w*Error\b.*: /.test(line)) ?? lines.find((line) => line !== "");
}

const everyMs = 10 * 60_000;

/** Asks at once and then now and then; undefined in between. It keeps nobody waiting: what it asks is told at a later call. */
export function makeMachineWatch(ask: () => Promise<Machine>): () => Machine | undefined {
  let nextAtMs = 0;
  let answer: Machine | undefined;
  return () => {
    const known = answer;
    answer = undefined;
    if (Date.now() < nextAtMs) return known;
    nextAtMs = Date.now() + everyMs;
    // Who could not be asked is asked again soon.
    void ask().then(
      (machine) => (answer = machine),
      () => (nextAtMs = Date.now() + everyMs / 60),
    );
    return known;
  };
}
