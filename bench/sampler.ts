/**
 * What an iteration costs whose sampler is another policy than the one that learns: `node bench/compiled.mjs sampler
 * [ROUNDS 4] [ITERATIONS 6]`. Runs of each setting take turns in one process, from starts that are equal; processor time
 * of an iteration as whole, lower quartile, and its ratio to that of the exact sampler.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { train } from "#trainer/run/train.ts";
import { makeRecorder } from "#trainer/run/testing/recorder.ts";
import { methodOf } from "#trainer/spec/method.ts";
import { RunSpec } from "#trainer/spec/run.ts";
import { lowerQuartile } from "./trainingFloor.ts";

const [numRounds = 4, numIterations = 6] = process.argv.slice(2).map(Number);

const settings: readonly (readonly [name: string, rollout: object, update?: object])[] = [
  ["exact sampler", {}],
  ["exact sampler, old log-probabilities from the trainer", {}, { oldLogProbs: "trainer" }],
  ["lag 8", { lag: { kind: "constant", k: 8 } }],
  ["lag uniform 0 to 8", { lag: { kind: "uniform", max: 8 } }],
  ["bf16", { samplerPrecision: "bf16" }],
  ["fp8-e4m3", { samplerPrecision: "fp8-e4m3" }],
  ["int8", { samplerPrecision: "int8" }],
  ["noise", { samplerNoise: { sigma: 0.01 } }],
  ["lag 8 and int8", { lag: { kind: "constant", k: 8 }, samplerPrecision: "int8" }],
  ["lag uniform 0 to 8 and int8", { lag: { kind: "uniform", max: 8 }, samplerPrecision: "int8" }],
];

function specOf(rollout: object, update: object = {}): RunSpec {
  return RunSpec.parse({
    v: 1,
    seed: 1,
    environment: { id: "sokoban" },
    method: methodOf("grpo"),
    initialisation: { kind: "demonstrations", numEpisodes: 100, epochs: 1 },
    rollout: { numGroups: 8, groupSize: 8, ...rollout },
    update: { minibatchRows: 128, ...update },
    evaluation: { every: 1000, numEpisodes: 1 },
    budget: { iterations: numIterations },
    execution: { checkpointEvery: 0 },
  });
}

/** Processor milliseconds of each iteration but the first, in which graphs are compiled. */
async function measure(spec: RunSpec, folder: string): Promise<number[]> {
  const { run } = makeRecorder(folder);
  const costs: number[] = [];
  let before = process.cpuUsage();
  const metrics: typeof run.log.metrics = ({ iteration }, values) => {
    const { user, system } = process.cpuUsage(before);
    if ("time/updateMs" in values && iteration > 1) costs.push((user + system) / 1000);
    before = process.cpuUsage();
  };
  await train(spec, { ...run, log: { ...run.log, metrics } });
  return costs;
}

const folder = mkdtempSync(join(tmpdir(), "arlarena-bench-sampler-"));
try {
  const costs = new Map<string, number[]>();
  for (let round = 0; round < numRounds; round++) {
    for (const [name, rollout, update] of settings) {
      const found = await measure(specOf(rollout, update), folder);
      costs.set(name, [...(costs.get(name) ?? []), ...found]);
    }
  }
  const exact = lowerQuartile(costs.get("exact sampler") ?? []);
  console.log("processor ms per iteration (lower quartile)   ratio to the exact sampler");
  for (const [name, all] of costs) {
    const cost = lowerQuartile(all);
    console.log(`${name.padEnd(56)} ${cost.toFixed(0).padStart(6)} ${(cost / exact).toFixed(2).padStart(6)}`);
  }
} finally {
  rmSync(folder, { recursive: true });
}
