import { writeFile } from "node:fs/promises";
import { join } from "node:path";

/** What the stand-in for the trainer does; it writes real event lines into a real log, from a real process. */
export type FakeTrainer = {
  iterations: number;
  /** Pause after each iteration. */
  everyMs: number;
  /** Metrics per line. */
  numKeys?: number;
  /** Leaves without a `done` line, with this exit code, after the last iteration. */
  crashWith?: number;
  /** Goes on when asked to stop. */
  isDeaf?: boolean;
  /** Goes on where an earlier attempt's log ends, as a trainer with a checkpoint does; from the beginning otherwise. */
  resumes?: boolean;
  /** After which iteration it goes on only when there is this file: whatever must happen meanwhile has all the time. */
  holds?: Readonly<Record<number, string>>;
  /** Logs under this key how near the learning rate is to 1e-3: 0 at best, minus the square of the decades between. */
  objective?: string;
};

/** Writes the script into `folder` and returns its path: what a bundle of the real trainer is. */
export async function writeFakeTrainer(folder: string, behaviour: FakeTrainer): Promise<string> {
  const path = join(folder, "fakeTrainer.mjs");
  await writeFile(path, scriptOf(behaviour));
  return path;
}

const scriptOf = (behaviour: FakeTrainer) => `
import { appendFileSync, existsSync, readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
const { iterations, everyMs, numKeys = 3, crashWith, isDeaf, resumes, holds = {}, objective } = ${JSON.stringify(behaviour)};
if (process.argv[2] === "--look") {
  const providers = { cpu: null, webgpu: "there is no adapter", cuda: process.env.ARLARENA_CUDA ?? "no folder" };
  const machine = { host: "there", atMs: 1, providers, isComplete: true, gpus: [], problem: null };
  console.log("ARLARENA-MACHINE " + JSON.stringify(machine));
  process.exit();
}
const [specFile, folder, ...flags] = process.argv.slice(2);
const spec = JSON.parse(readFileSync(specFile, "utf8"));
const earlier = resumes ? flags.filter((flag) => flag !== "--resume-from") : [];
const lastOf = (log) => Math.max(0, ...[...log.matchAll(/"iteration":(\\d+),.*\\}\\n/g)].map((match) => Number(match[1])));
const logs = earlier.map((other) => other + "/events.jsonl").filter((path) => existsSync(path));
const first = 1 + Math.max(0, ...logs.map((path) => lastOf(readFileSync(path, "utf8"))));
let seq = 0;
const write = (event) =>
  appendFileSync(folder + "/events.jsonl", JSON.stringify({ v: 1, seq: seq++, atMs: Date.now(), ...event }) + "\\n");
let isAsked = false;
process.on("SIGTERM", () => (isAsked = !isDeaf));
write({ type: "started", specHash: "0", code: "fake", host: process.env.ARLARENA_PYTHON_PACKAGES ?? "here", pid: process.pid, numParameters: 1,
  vocabularySize: 1, firstIteration: first });
for (let iteration = first; iteration <= iterations && !isAsked; iteration++) {
  const values = { "policy/entropy": 1 / iteration };
  for (let i = 1; i < numKeys; i++) values["test/metric" + i] = iteration % 7 === 0 ? "NaN" : iteration + i / 100;
  if (objective !== undefined) values[objective] = -((Math.log10(spec.optimizer.learningRate) + 3) ** 2);
  write({ type: "metrics", iteration, optimizerStep: iteration, values });
  await sleep(everyMs);
  while (holds[iteration] !== undefined && !existsSync(holds[iteration]) && !isAsked) await sleep(10);
}
if (crashWith !== undefined) process.exit(crashWith);
const exit = isAsked ? "interrupted" : "completed";
write({ type: "done", exit, reason: exit, numMetricLines: seq - 1 });
process.exit(isAsked ? 75 : 0);
`;
