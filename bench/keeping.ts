/**
 * Measures the cost of what a run keeps besides its metrics: `node bench/compiled.mjs keeping [ROUNDS 10]`. Runs of
 * GRPO (Quick look, 12 iterations, two evaluations) train by turns in this process: without kept groups and logged
 * actions, with both as by default, and with a group of every iteration. Times are processor time after the policy is
 * cloned; a ratio is the geometric mean over rounds, with Student's 95 % interval.
 */
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { hostname, tmpdir } from "node:os";
import { join } from "node:path";
import { mean, pairedTTest } from "#packages/statistics";
import { expandPlan } from "#server/domain/plan/sweep/expand/expand.ts";
import { parsePlan } from "#server/domain/plan/sweep/plan.ts";
import { openEpisodes } from "#trainer/run/acting/storedEpisodes.ts";
import { makeInterrupt } from "#trainer/run/keeping/interrupt.ts";
import { openGroups } from "#trainer/run/keeping/groupFile.ts";
import { makeStarts } from "#trainer/run/keeping/starts.ts";
import { openLog } from "#trainer/run/keeping/emit.ts";
import { train } from "#trainer/run/train.ts";
import { groupFiles, KeptGroup } from "#trainer/spec/keptGroup.ts";
import { type ExecutionSpec, RunSpec } from "#trainer/spec/run.ts";

const [rounds = 10] = process.argv.slice(2).map(Number);
const arms: Readonly<Record<string, Partial<ExecutionSpec>>> = {
  none: { traces: false, groups: { every: 0, number: 1 } },
  "actions, and a group every 5 iterations": { groups: { every: 5, number: 1 } },
  "actions, and a group every iteration": { groups: { every: 1, number: 1 } },
};
const names = Object.keys(arms);
const home = mkdtempSync(join(tmpdir(), "arlarena-keeping-"));
const sizes: Record<"group" | "evaluation", number[]> = { group: [], evaluation: [] };
let numRuns = 0;
try {
  // These runs clone the policy, compile the graphs and warm up the code for all others.
  for (const name of names) await measure(name);
  const seconds = names.map((): number[] => []);
  for (let round = 0; round < rounds; round++) {
    const order = [...names.entries()];
    for (const [i, name] of round % 2 === 0 ? order : order.toReversed()) seconds[i]?.push(await measure(name));
  }
  const logs = seconds.map((list) => list.map(Math.log));
  for (const [i, name] of names.entries()) {
    const { difference, interval } = pairedTTest(logs[i] ?? [], logs[0] ?? []);
    const [ratio, low, high] = [difference, interval.low, interval.high].map((x) => Math.exp(x).toFixed(3));
    const text = `${name}: ${mean(seconds[i] ?? []).toFixed(2)} s per run`;
    console.log(i === 0 ? text : `${text}, ${ratio} times the processor time [${low}, ${high}]`);
  }
  for (const [unit, bytes] of Object.entries(sizes)) console.log(`bytes per ${unit}: ${mean(bytes).toFixed(0)}`);
} finally {
  rmSync(home, { recursive: true });
}

/** Trains one run and returns its seconds of processor time from the first line of metrics on. */
async function measure(name: string): Promise<number> {
  const folder = join(home, String(numRuns++));
  mkdirSync(folder);
  const log = openLog(join(folder, "events.jsonl"));
  let begin: NodeJS.CpuUsage | undefined;
  await train(specOf(name), {
    log: {
      ...log,
      metrics: (progress, values) => {
        log.metrics(progress, values);
        if (progress.iteration === 0) begin = process.cpuUsage();
      },
    },
    episodeFile: openEpisodes(join(folder, "samples.jsonl")),
    groupFile: openGroups(folder),
    checkpoints: { save: () => {}, latest: () => ({ problems: [] }), at: () => undefined },
    starts: makeStarts(join(home, "starts"), "bench"),
    interrupt: makeInterrupt(),
    sessionOptions: { cacheFolder: join(home, "graphs") },
    origin: { specHash: "0", code: "bench", host: hostname(), pid: process.pid },
  });
  const { user, system } = process.cpuUsage(begin);
  log.close();
  const lines = (file: string): string[] => {
    const path = join(folder, file);
    return existsSync(path) ? readFileSync(path, "utf8").split("\n").slice(0, -1) : [];
  };
  sizes.evaluation.push(...lines("events.jsonl").flatMap((line) => (line.includes('"traces"') ? line.length : [])));
  sizes.group.push(...lines(groupFiles.index).map((line) => line.length + KeptGroup.parse(JSON.parse(line)).numBytes));
  rmSync(folder, { recursive: true });
  return (user + system) / 1e6;
}

function specOf(name: string): RunSpec {
  const plan = parsePlan(readFileSync("public/presets/quick-look.yaml", "utf8"));
  const spec = expandPlan(plan).cells[0]?.spec;
  if (!spec) throw new Error("the Quick look preset has no cell");
  const execution = { ...spec.execution, ...arms[name] };
  return RunSpec.parse({ v: 1, seed: 0, ...spec, execution, budget: { ...spec.budget, iterations: 12 } });
}
