/**
 * Trains runs with known faults for the diagnosis: `node bench/compiled.mjs faults FILE FIRST LAST FAULT …`. A fault is
 * one of the list below or several, joined by +; a number after its name is a stronger form of it. Appends one line of
 * JSON per seed from FIRST to LAST to FILE.
 */
import { spawnSync } from "node:child_process";
import { appendFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expandPlan } from "#server/domain/plan/sweep/expand/expand.ts";
import { parsePlan } from "#server/domain/plan/sweep/plan.ts";
import { bundleTrainer } from "#server/start/bundleTrainer.ts";
import { setAt, type Tree } from "#packages/base";
import { CellSpec } from "#trainer/spec/run.ts";
import { isRead } from "#packages/detector";
import { diagnosedKeys } from "#server/domain/analysis/diagnosis/rules.ts";
import { type FaultRecord, toColumns } from "#server/domain/analysis/diagnosis/testing/record.ts";
import { parseEventLog } from "#server/domain/trainers/import/toEventLog.ts";

const [file = "faults.jsonl", first = "0", last = "0", ...names] = process.argv.slice(2);

const plan = parsePlan(`
name: faults
methods: [grpo]
environments: [{ id: sokoban, size: 6, numBoxes: 1, maxTurns: 7, reward: sparse }]
base:
  initialisation: { kind: demonstrations, numEpisodes: 800, slipRate: 0.3, epochs: 5, learningRate: 0.005 }
  rollout: { numGroups: 6, groupSize: 8, historyLength: 0, maxResponseTokens: 12 }
  update: { minibatchRows: 96, klCoef: 0, entropyCoef: 0 }
  optimizer: { learningRate: 0.0003, beta2: 0.99 }
  evaluation: { every: 11, numEpisodes: 32, temperature: 1, topP: 1, topK: 0 }
  budget: { iterations: 22 }
  execution: { checkpointEvery: 0, numSamples: 0 }
seeds: [0]
`);
const hard = { id: "sokoban", size: 6, numBoxes: 2, maxTurns: 7, reward: "sparse" };

/** Settings that each fault changes in the healthy plan above. */
const faults: Record<string, Record<string, unknown>> = {
  staleSampler: { "rollout.lag": { kind: "constant", k: 16 } },
  precision: { "rollout.samplerNoise": { sigma: 1.5 } },
  precision4: { "rollout.samplerNoise": { sigma: 4 } },
  stepTooLarge: { "optimizer.learningRate": 0.002 },
  clipInactive: {
    "method.clipping.low": 1,
    "method.clipping.high": 10,
    "method.clipping.dual": null,
    "update.minibatchRows": 16,
    "update.epochs": 2,
  },
  dataChange: {
    environment: {
      id: "curriculum",
      phases: [
        {
          name: "easy",
          environment: { id: "sokoban", size: 6, numBoxes: 1, maxTurns: 7, reward: "sparse" },
          until: { iterations: 10 },
        },
        { name: "hard", environment: hard },
      ],
    },
  },
};

const home = mkdtempSync(join(tmpdir(), "arlarena-faults-"));
const bundle = await bundleTrainer(home);
const [cell] = expandPlan(plan).cells;
if (!bundle || !cell) throw new Error("the trainer could not be bundled");
for (let seed = Number(first); seed <= Number(last); seed++) for (const name of names) train(name, seed);
rmSync(home, { recursive: true });

function train(name: string, seed: number): void {
  const changes = name.split("+").flatMap((one) => Object.entries(faults[one] ?? {}));
  let changed: Tree = cell?.spec ?? {};
  for (const [path, value] of changes) changed = setAt(changed, path, value);
  const spec = { ...CellSpec.parse(changed), v: 1 as const, seed };
  const folder = mkdtempSync(join(home, "run-"));
  writeFileSync(join(folder, "spec.json"), JSON.stringify(spec));
  const started = Date.now();
  const env = { ...process.env, ARLARENA_GRAPH_CACHE: join(home, "cache"), ARLARENA_TRAINER_HASH: "faults" };
  const { stderr } = spawnSync(process.execPath, [bundle ?? "", join(folder, "spec.json"), folder], {
    env,
    encoding: "utf8",
  });
  const log = readFileSync(join(folder, "events.jsonl"), "utf8");
  const isKept = (key: string) => isRead(key) || diagnosedKeys.includes(key);
  const { seed: _, v: __, ...rest } = spec;
  // The limits of the rules were chosen on seed 1.
  const part = seed === 1 ? "choose" : "judge";
  const record: FaultRecord = {
    part,
    faults: name.split("+").map((one) => one.replace(/\d+$/, "")),
    source: "trained",
    spec: rest,
    ...toColumns(parseEventLog(log), isKept),
  };
  appendFileSync(file, `${JSON.stringify(record)}\n`);
  console.log(name, seed, `${Math.round((Date.now() - started) / 1000)} s`, stderr.slice(0, 300));
  rmSync(folder, { recursive: true });
}
