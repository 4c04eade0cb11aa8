import { writeFile } from "node:fs/promises";
import { join } from "node:path";

/** Behaviour of the fake trainer in tests, a real process that writes valid event lines to a real log. */
export type FakeTrainer = {
  iterations: number;
  everyMs: number;
  numKeys?: number;
  /** Exit code after the last iteration, in which case no `done` line is written. */
  crashWith?: number;
  isDeaf?: boolean;
  /** True if an attempt continues at the end of the earlier log; otherwise it starts at the first iteration. */
  resumes?: boolean;
  /** File whose creation the trainer waits for, by iteration; `{learningRate}` stands for the run's own value. */
  holds?: Readonly<Record<number, string>>;
  /** Name of a metric whose value is −(log10(learning rate / 1e-3))², so that a search has an optimum to find. */
  objective?: string;
};

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
if (process.argv[2] === "--evaluate") {
  const { evaluation, iteration, folders } = JSON.parse(readFileSync(process.argv[3], "utf8"));
  console.log("fake " + JSON.stringify({ in: evaluation.environment.id, iteration, folders: folders.filter(existsSync) }));
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
  const hold = holds[iteration]?.replace("{learningRate}", spec.optimizer.learningRate);
  while (hold !== undefined && !existsSync(hold) && !isAsked) await sleep(10);
}
if (crashWith !== undefined) process.exit(crashWith);
const exit = isAsked ? "interrupted" : "completed";
write({ type: "done", exit, reason: exit, numMetricLines: seq - 1 });
process.exit(isAsked ? 75 : 0);
`;
