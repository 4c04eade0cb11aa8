import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { couldBeLog, isSettingsFile } from "./nameFile.ts";
import { planImport } from "./planImport.ts";
import { readForeignFile } from "./readForeignFile.ts";
import { readSettings } from "./settings.ts";

const cases = join(process.env["ARLARENA_CASES"] ?? "../shared/cases", "logs4");

/** Reads the files that an import of the folder would take, under their whole paths. */
function readFolder(folder: string) {
  const names = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && couldBeLog(entry.name))
    .map((entry) => join(entry.parentPath, entry.name))
    .sort();
  const files = Object.fromEntries(names.map((name) => [name, readFileSync(name)]));
  return readFiles(files);
}

function readFiles(files: Readonly<Record<string, Uint8Array | string>>): Parameters<typeof planImport> {
  const entries = Object.entries(files).map(([fileName, content]) => ({ fileName, bytes: Buffer.from(content) }));
  const isSettings = ({ fileName }: { fileName: string }) => isSettingsFile(fileName);
  return [
    entries
      .filter((one) => !isSettings(one))
      .map(({ fileName, bytes }) => ({ fileName, file: readForeignFile(fileName, bytes) })),
    {},
    entries
      .filter(isSettings)
      .map(({ fileName, bytes }) => ({ fileName, settings: readSettings(fileName, bytes.toString()) })),
  ];
}

/** Plans an import and returns a line for each run: method, environment, seed, last step and last value. */
function planOf(given: Parameters<typeof planImport>, metric = "rollout/successRate"): string[] {
  const { cells, runs } = planImport(...given);
  return runs
    .map(({ cellIndex, seed, run: { points } }) => {
      const { method, spec } = cells[cellIndex] ?? {};
      const last = points.at(-1);
      const value = Number(last?.values[metric]?.toFixed(4));
      return `${method} on ${spec?.environment.id}, seed ${seed}: ${value} at step ${last?.iteration}`;
    })
    .sort();
}

describe.skipIf(!existsSync(cases))("folders of users (needs the folder of cases)", () => {
  it.each([
    [
      "hydra-multirun",
      [
        "GRPO on unknown, seed 0: 0.18 at step 8",
        "GRPO on unknown, seed 1: 0.2 at step 8",
        "GSPO on unknown, seed 0: 0.58 at step 8",
        "GSPO on unknown, seed 1: 0.6 at step 8",
      ],
    ],
    [
      "seed-folders",
      [
        "GRPO on sokoban, seed 0: 0.18 at step 8",
        "GRPO on sokoban, seed 1: 0.2 at step 8",
        "GRPO on sokoban, seed 2: 0.22 at step 8",
        "GSPO on sokoban, seed 0: 0.58 at step 8",
        "GSPO on sokoban, seed 1: 0.6 at step 8",
        "GSPO on sokoban, seed 2: 0.62 at step 8",
      ],
    ],
    [
      "seed-named-folders",
      [
        "GRPO on sokoban, seed 0: 0.1805 at step 8",
        "GRPO on sokoban, seed 1: 0.2005 at step 8",
        "GSPO on sokoban, seed 0: 0.5805 at step 8",
        "GSPO on sokoban, seed 1: 0.6005 at step 8",
      ],
    ],
    [
      "lightning-versions",
      [
        "GRPO on sokoban, seed 0: 0.18 at step 8",
        "GRPO on sokoban, seed 1: 0.19 at step 8",
        "GSPO on sokoban, seed 0: 0.58 at step 8",
        "GSPO on sokoban, seed 1: 0.59 at step 8",
      ],
    ],
    [
      "percent-siblings",
      [
        "GRPO on webshop, seed 0: 0.34 at step 10",
        "GRPO on webshop, seed 1: 0.31 at step 10",
        "GRPO on webshop, seed 2: 0.008 at step 10",
      ],
    ],
    [
      "zero-seeds",
      [
        "GRPO on sokoban, seed 0: 0 at step 10",
        "GRPO on sokoban, seed 1: 0 at step 10",
        "GRPO on sokoban, seed 2: 0 at step 10",
        "GRPO on sokoban, seed 3: 0.93 at step 10",
        "GRPO on sokoban, seed 4: 0.94 at step 10",
      ],
    ],
  ])("%s", (folder, wanted) => expect(planOf(readFolder(join(cases, folder)))).toEqual(wanted));

  it.each([
    ["csv-decimal-comma", ["GRPO on sokoban, seed 0: 0.28 at step 8"]],
    ["csv-us-thousands", ["GRPO on sokoban, seed 0: 0.28 at step 2400"]],
    ["hydra-prefix", ["GRPO on sokoban, seed 0: 0.28 at step 8"]],
    ["tb-subfolders", ["GRPO on sokoban, seed 0: 0.5 at step 30"]],
  ])("%s", (folder, wanted) => {
    expect(planOf(readFolder(join(cases, folder)), "rollout/returnMean")).toEqual(wanted);
  });

  it.each([
    ["trl-two-nodes", 8, 0.28, undefined],
    ["trl-requeued", 16, 0.516, 0.509],
  ])("%s", (folder, numSteps, last, ninth) => {
    const [run] = planImport(...readFolder(join(cases, folder))).runs;
    const points = run?.run.points ?? [];
    expect(points.map(({ iteration }) => iteration)).toEqual(Array.from({ length: numSteps }, (_, i) => i + 1));
    expect(points.at(-1)?.values["rollout/returnMean"]).toBe(last);
    expect(points[8]?.values["rollout/returnMean"]).toBe(ninth);
  });
});

describe("further layouts", () => {
  const csv = (from = 1) => `step,success_rate\n${[0, 1, 2].map((i) => `${from + i},0.${from + i}`).join("\n")}\n`;
  const named = (files: Record<string, string>) => planOf(readFiles(files)).map((line) => line.replace(/:.*/, ""));

  it.each<[string, Record<string, string>, string[]]>([
    [
      "settings in the folder, and those of all runs above it",
      {
        "exp/config.yaml": "env:\n  name: webshop\nseed: 7\n",
        "exp/a1b2/hparams.yaml": "algorithm: grpo\nseed: 3\n",
        "exp/a1b2/metrics.csv": csv(),
        "exp/c3d4/args.json": '{"method": "gspo", "seed": 3}',
        "exp/c3d4/metrics.csv": csv(),
      },
      ["GRPO on webshop, seed 3", "GSPO on webshop, seed 3"],
    ],
    [
      "a hyperparameter between method and seed",
      Object.fromEntries(
        ["1e-5", "1e-6"].flatMap((lr) => [0, 1].map((s) => [`/home/me/r/grpo/lr${lr}/seed_${s}/metrics.csv`, csv()])),
      ),
      ["GRPO lr1e-5", "GRPO lr1e-6"].flatMap((method) => [0, 1].map((s) => `${method} on unknown, seed ${s}`)),
    ],
    [
      "a hyperparameter in the settings alone",
      Object.fromEntries(
        [0, 1].flatMap((job) => [
          [`m/2026-10-01/${job}/.hydra/overrides.yaml`, `- algorithm=grpo\n- seed=0\n- optim.lr=1e-${job + 5}\n`],
          [`m/2026-10-01/${job}/train.jsonl`, '{"step": 1, "success_rate": 0.5}\n'],
        ]),
      ),
      ["GRPO lr=1e-5 on unknown, seed 0", "GRPO lr=1e-6 on unknown, seed 0"],
    ],
    [
      "a hyperparameter and no seed in the settings",
      Object.fromEntries(
        [0, 1].flatMap((job) => [
          [`m/${job}/hparams.yaml`, `algorithm: grpo\noptim: { lr: 1e-${job + 5} }\nout_dir: m/${job}\n`],
          [`m/${job}/train.csv`, csv()],
        ]),
      ),
      ["GRPO lr=1e-5 on unknown, seed 0", "GRPO lr=1e-6 on unknown, seed 0"],
    ],
    [
      "numbers as file names",
      {
        "r/grpo/3.jsonl": '{"step": 1, "success_rate": 0.5}\n',
        "r/grpo/4.jsonl": '{"step": 1, "success_rate": 0.6}\n',
      },
      ["GRPO on unknown, seed 3", "GRPO on unknown, seed 4"],
    ],
    [
      "numbers of seeds beside settings that all share",
      { "r/config.yaml": "lr: 1e-6\n", "r/grpo/3/log.csv": csv(), "r/grpo/5/log.csv": csv() },
      ["GRPO on unknown, seed 3", "GRPO on unknown, seed 5"],
    ],
    [
      "numbered runs below a method, and below none",
      { "r/grpo/run_2/log.csv": csv(), "r/grpo/run_3/log.csv": csv(), "r/own/run_2/log.csv": csv() },
      ["GRPO on unknown, seed 2", "GRPO on unknown, seed 3", "run 2 on unknown, seed 0"],
    ],
    [
      "file names with numbers, which stay methods of their own",
      { "r/run_1.csv": csv(), "r/run_2.csv": csv() },
      ["run 1 on unknown, seed 0", "run 2 on unknown, seed 0"],
    ],
    [
      "unknown methods above equal file names",
      { "r/ours/run.csv": csv(), "r/base/run.csv": csv() },
      ["base on unknown, seed 0", "ours on unknown, seed 0"],
    ],
    [
      "unknown methods above seeds",
      { "r/ours/seed-1/log.csv": csv(), "r/base/seed-1/log.csv": csv() },
      ["base on unknown, seed 1", "ours on unknown, seed 1"],
    ],
    ["a method above one seed", { "r/grpo_sokoban/seed_4/log.csv": csv() }, ["GRPO on sokoban, seed 4"]],
    [
      "numbers that are attempts, since the later log continues",
      { "r/grpo_s1/0/train.csv": csv(), "r/grpo_s1/1/train.csv": csv(4) },
      ["GRPO on unknown, seed 1"],
    ],
    [
      "methods in file names below a folder of another method",
      { "/home/grpo/gspo_s0.csv": csv(), "/home/grpo/own_s0.csv": csv() },
      ["GSPO on unknown, seed 0", "own on unknown, seed 0"],
    ],
    [
      "hyperparameters in file names with equal methods and seeds",
      { "grpo_lr1e-5_s0.csv": csv(), "grpo_lr1e-6_s0.csv": csv() },
      ["GRPO lr1e-5 on unknown, seed 0", "GRPO lr1e-6 on unknown, seed 0"],
    ],
  ])("%s", (_, files, wanted) => expect(named(files)).toEqual(wanted));
});
