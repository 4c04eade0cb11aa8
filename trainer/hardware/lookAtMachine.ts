import { hostname } from "node:os";
import type { Machine } from "#trainer/spec/machine.ts";
import { executionProviders } from "#trainer/spec/run.ts";
import { readGpus } from "./readGpus.ts";
import { tryProvider } from "./tryProvider.ts";

/** Probes the execution providers and GPUs of this machine, in at most ten seconds. */
export async function lookAtMachine(): Promise<Machine> {
  const [trials, { gpus, problem }] = await Promise.all([
    Promise.all(executionProviders.map(async (name) => ({ name, ...(await tryProvider(name)) }))),
    readGpus(),
  ]);
  return {
    host: hostname(),
    atMs: Date.now(),
    providers: Object.fromEntries(trials.map(({ name, why }) => [name, why])),
    isComplete: trials.every(({ isLate }) => !isLate),
    gpus,
    problem,
  };
}
