import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { gzipSync } from "node:zlib";
import { afterAll, expect, it } from "vitest";
import { eventFile } from "#packages/trainers/testing/eventFile.ts";
import { answer } from "../program.ts";
import { previewPaths } from "./previewRuns.ts";

const home = await mkdtemp(join(tmpdir(), "arlarena-layouts-"));
afterAll(() => rm(home, { recursive: true, force: true }));

type Content = string | Uint8Array;
type Files = Readonly<Record<string, Content>>;

const steps = [1, 2, 3, 4, 5, 6, 7, 8];
/** Value of a step in a curve that ends at `end` after eight steps. */
const at = (step: number, end: number) => (end - (8 - step) / 100).toFixed(2);
const lines = (write: (step: number) => string, of: readonly number[] = steps) => of.map(write).join("\n") + "\n";
const csv = (end: number, head = "step,reward") => `${head}\n${lines((i) => `${i},${at(i, end)}`)}`;
const jsonl = (end: number, of = steps) => lines((i) => `{"step": ${i}, "reward": ${at(i, end)}}`, of);
const each = <Item>(items: readonly Item[], files: (item: Item, index: number) => Files): Files =>
  Object.assign({}, ...items.map(files));
const utf16 = (text: string) => Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from(text, "utf16le")]);
const events = (tag: string, end: number) =>
  eventFile(steps.map((step) => ({ step, values: { [tag]: Number(at(step, end)) } })));
const hex = (letter: string) => letter.repeat(32);
const algorithms = ["grpo", "gspo"] as const;

const console8 = (prefix: (step: number) => string, end = 0.28) =>
  lines((i) => `${prefix(i)}{"step": ${i}, "reward": ${at(i, end)}}`);
const grpo = "GRPO sokoban 0: 8 steps to 8, rollout/returnMean 0.28";
const pair = [
  "GRPO sokoban 0: 8 steps to 8, rollout/returnMean 0.28",
  "GSPO sokoban 0: 8 steps to 8, rollout/returnMean 0.58",
];
const seeds = [0, 1].map((seed) => `GRPO sokoban ${seed}: 8 steps to 8, rollout/returnMean 0.${seed}8`);

/**
 * Folders as trainers, trackers and people write them, with the runs in them. They were written before the reader was
 * changed for them; each stands for a kind.
 */
const layouts: readonly [title: string, files: Files, wanted: readonly string[]][] = [
  [
    "MLflow's mlruns",
    each(algorithms, (one, i) => ({
      [`mlruns/1/${hex("ab"[i] ?? "")}/metrics/reward`]: lines((s) => `17000000000${s}0 ${at(s, 0.28 + 0.3 * i)} ${s}`),
      [`mlruns/1/${hex("ab"[i] ?? "")}/metrics/train/loss`]: lines((s) => `17000000000${s}0 0.${s} ${s}`),
      [`mlruns/1/${hex("ab"[i] ?? "")}/params/seed`]: "0",
      [`mlruns/1/${hex("ab"[i] ?? "")}/params/algo`]: one,
      [`mlruns/1/${hex("ab"[i] ?? "")}/tags/mlflow.runName`]: `${one}_sokoban`,
      [`mlruns/1/${hex("ab"[i] ?? "")}/meta.yaml`]: "artifact_uri: x\n",
    })),
    pair.map((one) => `${one}, loss/total 0.8`),
  ],
  [
    "Sacred's file storage",
    each(algorithms, (algo, i) => ({
      [`sacred/${i + 1}/metrics.json`]: JSON.stringify({
        reward: {
          steps,
          timestamps: steps.map(() => "2026-10-01T10:00:00"),
          values: steps.map((s) => Number(at(s, 0.28 + 0.3 * i))),
        },
      }),
      [`sacred/${i + 1}/config.json`]: JSON.stringify({ algo, env: "sokoban", seed: 0 }),
      [`sacred/${i + 1}/run.json`]: JSON.stringify({ status: "COMPLETED", result: null }),
    })),
    pair,
  ],
  [
    "Keras's CSVLogger",
    { "grpo_sokoban_seed0/training.log": `epoch,loss,reward\n${lines((s) => `${s},0.${s},${at(s, 0.28)}`)}` },
    [`${grpo}, loss/total 0.8`],
  ],
  [
    "Stable-Baselines3's monitor files",
    {
      "grpo_sokoban_seed0/0.monitor.csv": `#{"t_start": 1700000000.0, "env_id": "Sokoban-v0"}\nr,l,t\n${lines((s) => `${at(s, 0.28)},10,${s}.5`)}`,
    },
    ["GRPO sokoban 0: 8 steps to 80, rollout/returnMean 0.28"],
  ],
  [
    "Stable-Baselines3's progress.csv with evaluations between",
    {
      "logs/grpo_sokoban/seed_0/progress.csv": `time/iterations,rollout/ep_rew_mean,time/total_timesteps,eval/mean_reward\n${lines((s) => `${s},${at(s, 0.28)},${s}00,${s === 8 ? 0.5 : ""}`)}`,
    },
    [`${grpo}, evaluation/returnMean 0.5`],
  ],
  [
    "RLlib's result.json and progress.csv of one trial, with params.json",
    {
      "PPO/PPO_sokoban_a1b2c_00000_0_seed=3_2026-10-01_10-00-00/result.json": lines(
        (s) =>
          `{"training_iteration": ${s}, "timesteps_total": ${s}000, "env_runners": {"episode_return_mean": ${at(s, 0.28)}}, "trial_id": "a1b2c_00000"}`,
      ),
      "PPO/PPO_sokoban_a1b2c_00000_0_seed=3_2026-10-01_10-00-00/progress.csv": `training_iteration,timesteps_total,env_runners/episode_return_mean\n${lines((s) => `${s},${s}000,${at(s, 0.28)}`)}`,
      "PPO/PPO_sokoban_a1b2c_00000_0_seed=3_2026-10-01_10-00-00/params.json":
        '{"seed": 3, "env": "sokoban", "lr": 0.0001}',
    },
    ["PPO sokoban 3: 8 steps to 8, rollout/returnMean 0.28"],
  ],
  [
    "Ray Tune's trials, told apart by params.json",
    each([0, 1], (i) => ({
      [`tune/train_fn_a1b2c_0000${i}_${i}_2026-10-01_10-00-0${i}/result.json`]: lines(
        (s) => `{"training_iteration": ${s}, "reward": ${at(s, 0.28 + 0.3 * i)}}`,
      ),
      [`tune/train_fn_a1b2c_0000${i}_${i}_2026-10-01_10-00-0${i}/params.json`]: `{"algo": "${algorithms[i]}", "seed": 0, "env": "sokoban"}`,
    })),
    pair,
  ],
  [
    "CleanRL's names",
    {
      "runs/sokoban__grpo__1__1700000000/events.out.tfevents.1700000000.vm": events("charts/reward", 0.28),
      "runs/sokoban__grpo__2__1700000100/events.out.tfevents.1700000100.vm": events("charts/reward", 0.38),
    },
    [1, 2].map((seed) => `GRPO sokoban ${seed}: 8 steps to 8, charts/reward 0.${seed + 1}8`),
  ],
  [
    "CleanRL's names of an environment that is not the studio's",
    { "runs/CartPole-v1__ppo__1__1700000000/events.out.tfevents.1700000000.vm": events("charts/reward", 0.28) },
    ["PPO CartPole-v1 1: 8 steps to 8, charts/reward 0.28"],
  ],
  [
    "TRL's checkpoints, each with the history so far",
    each([4, 8], (last) => ({
      [`out/grpo_sokoban_seed0/checkpoint-${last}/trainer_state.json`]: JSON.stringify({
        global_step: last,
        log_history: steps
          .filter((s) => s <= last)
          .map((step) => ({ step, epoch: step / 100, reward: Number(at(step, 0.28)) })),
      }),
    })),
    [grpo],
  ],
  [
    "Transformers' printed log with a progress bar",
    {
      "grpo_sokoban_seed0/train.log": lines(
        (s) =>
          `{'loss': 0.5, 'reward': ${at(s, 0.28)}, 'epoch': 0.0${s}}\n ${s}0%|█         | ${s}/8 [00:01<00:10,  1.00s/it]`,
      ),
    },
    [`${grpo}, loss/total 0.5`],
  ],
  [
    "verl's console below Ray's prefix, and verl's file logger of another run",
    {
      "grpo_sokoban_seed0.log": lines(
        (s) =>
          `\u001b[36m(TaskRunner pid=412, ip=10.0.0.3)\u001b[0m step:${s} - critic/score/mean:${at(s, 0.28)} - actor/lr:1e-06`,
      ),
      "gspo_sokoban_seed0.jsonl": lines(
        (s) => `{"step": ${s}, "data": {"critic/score/mean": ${at(s, 0.58)}, "actor/lr": 1e-06}}`,
      ),
    },
    pair,
  ],
  [
    "OpenRLHF's console",
    {
      "grpo_sokoban_seed0.log": lines(
        (s) =>
          `(PPOTrainer pid=9) INFO 08-13 10:02:11 ppo_trainer.py:546] ✨ Global step ${s}: {'policy_loss': 0.1, 'reward': ${at(s, 0.28)}}`,
      ),
    },
    [`${grpo}, loss/policy 0.1`],
  ],
  [
    "slime's console",
    {
      "grpo_sokoban_seed0.log": lines(
        (s) =>
          `(RayTrainGroup pid=9) [2026-08-21 10:02:11] rollout.py:919 - rollout ${s}: {'rollout/raw_reward': ${at(s, 0.28)}}`,
      ),
    },
    [grpo],
  ],
  [
    "prime-rl's trainer and orchestrator, one run in two files",
    {
      "grpo_sokoban_seed0/logs/trainer/rank_0.log": lines(
        (s) => `10:00:0${s}    INFO Step ${s} | 71.02s | Loss 0.${s}000 | Entropy 0.3100`,
      ),
      "grpo_sokoban_seed0/logs/orchestrator.log": lines(
        (s) => `10:00:0${s}    INFO Step ${s} | 60.11s | Reward ${at(s, 0.28)} | Turns 2.0`,
      ),
    },
    [`${grpo}, loss/mean 0.8`],
  ],
  [
    "AReaL's stats",
    {
      "grpo_sokoban_seed0/main.log": lines(
        (s) =>
          `20261001-10:00:0${s}.123 StatsLogger INFO: Epoch 1/1 Step ${s}/8 Train step ${s}/8 done.\n20261001-10:00:0${s}.124 StatsLogger INFO: Stats (1/1):\n╒═══╤═══╕\n│ ppo_actor/task_reward/avg │ ${at(s, 0.28)}e+00 │\n╘═══╧═══╛`,
      ),
    },
    ["GRPO sokoban 0: 8 steps to 7, rollout/returnMean 0.28"],
  ],
  [
    "Lightning's metrics.csv with values in rows of their own, and hparams.yaml",
    each(algorithms, (algo, i) => ({
      [`lightning_logs/version_${i}/metrics.csv`]: `epoch,reward,step,val_reward\n${lines((s) => `0,${at(s, 0.28 + 0.3 * i)},${s},\n0,,${s},0.${i}`)}`,
      [`lightning_logs/version_${i}/hparams.yaml`]: `algo: ${algo}\nenv: sokoban\nseed: 0\n`,
    })),
    pair.map((one, i) => `${one}, evaluation/returnMean 0${i === 0 ? "" : ".1"}`),
  ],
  [
    "Hydra's sweep with overrides in the folders' names",
    each(algorithms, (algo, i) => ({
      [`multirun/2026-10-01/10-00-00/algo=${algo},env=sokoban,seed=0/train.csv`]: csv(0.28 + 0.3 * i),
    })),
    pair,
  ],
  [
    "a chart that W&B exports",
    {
      "wandb_export_2026-10-01T10_00_00.000+02_00.csv": `"Step","grpo_sokoban_seed0 - reward","grpo_sokoban_seed0 - reward__MIN","grpo_sokoban_seed0 - reward__MAX","gspo_sokoban_seed0 - reward","gspo_sokoban_seed0 - reward__MIN","gspo_sokoban_seed0 - reward__MAX"\n${lines((s) => [String(s), ...[0.28, 0.58].flatMap((end) => Array(3).fill(at(s, end)))].map((text) => `"${text}"`).join(","))}`,
    },
    pair,
  ],
  [
    "JSON lines with nested metrics",
    {
      "grpo_sokoban_seed0.jsonl": lines(
        (s) => `{"step": ${s}, "time": 1700000000.5, "train": {"reward": ${at(s, 0.28)}, "loss": {"policy": 0.${s}}}}`,
      ),
      "gspo_sokoban_seed0.jsonl": lines((s) => `{"step": ${s}, "metrics": {"reward": ${at(s, 0.58)}}}`),
    },
    [`${grpo}, train/loss/policy 0.8`, pair[1] ?? ""],
  ],
  ["a log packed with gzip", { "grpo_sokoban_seed0.jsonl.gz": gzipSync(jsonl(0.28)) }, [grpo]],
  [
    "seeds in the names of files",
    { "grpo_sokoban/seed=3.csv": csv(0.28), "grpo_sokoban/s4.csv": csv(0.38), "grpo_sokoban/run_5.csv": csv(0.48) },
    [3, 4, 5].map((seed, i) => `GRPO sokoban ${seed}: 8 steps to 8, rollout/returnMean 0.${2 + i}8`),
  ],
  [
    "runs told apart by their dates alone",
    each([0, 1], (i) => ({ [`grpo_sokoban/2026-10-0${i + 1}_10-00-00/metrics.csv`]: csv(0.08 + 0.1 * i) })),
    seeds,
  ],
  [
    "an evaluation file beside the training file, with the same column",
    { "grpo_sokoban_seed0/train.csv": csv(0.28), "grpo_sokoban_seed0/eval.csv": "step,reward\n4,0.4\n8,0.5\n" },
    [`${grpo}, evaluation/returnMean 0.5`],
  ],
  [
    "a resumed log with overlapping steps, in one file and in two",
    {
      "grpo_sokoban_seed0/log.jsonl": jsonl(0.9, [1, 2, 3, 4, 5]) + jsonl(0.28, [4, 5, 6, 7, 8]),
      "grpo_sokoban_seed1/log.jsonl": jsonl(0.9, [1, 2, 3, 4, 5]),
      "grpo_sokoban_seed1/log_resumed.jsonl": jsonl(0.38, [4, 5, 6, 7, 8]),
    },
    [grpo, "GRPO sokoban 1: 8 steps to 8, rollout/returnMean 0.38"],
  ],
  ["a byte-order mark and CRLF", { "grpo_sokoban_seed0.csv": `\uFEFF${csv(0.28).replaceAll("\n", "\r\n")}` }, [grpo]],
  [
    "UTF-16, as PowerShell redirects output",
    { "grpo_sokoban_seed0.log": utf16(jsonl(0.28).replaceAll("\n", "\r\n")) },
    [grpo],
  ],
  ["semicolons and quotes", { "grpo_sokoban_seed0.csv": csv(0.28, '"step";"reward"').replaceAll(",", ";") }, [grpo]],
  [
    "semicolons, decimal commas and thousands with points, as Excel writes them in German",
    {
      "grpo_sokoban_seed0.csv": `Step;reward;tokens\n${lines((s) => `${s}.000;${at(s, 0.28).replace(".", ",")};1.${s}00.000`)}`,
    },
    ["GRPO sokoban 0: 8 steps to 8000, rollout/returnMean 0.28, tokens 1800000"],
  ],
  [
    "per cent signs and units of thousands",
    { "grpo_sokoban_seed0.csv": `step,success_rate,reward\n${lines((s) => `${s},${s}5 %,"1,${s}00.5"`)}` },
    ["GRPO sokoban 0: 8 steps to 8, rollout/successRate 0.85, rollout/returnMean 1800.5"],
  ],
  [
    "thin spaces between thousands, and words for missing numbers",
    {
      "grpo_sokoban_seed0.csv": `step\treward\ttokens\n${lines((s) => `${s}\t${s === 3 ? "#N/A" : at(s, 0.28)}\t1 ${s}00 000`)}`,
    },
    [`${grpo}, tokens 1800000`],
  ],
  [
    "DVCLive's plots, one file for each metric",
    {
      "grpo_sokoban_seed0/dvclive/plots/metrics/train/reward.tsv": csv(0.28, "step,reward").replaceAll(",", "\t"),
      "grpo_sokoban_seed0/dvclive/plots/metrics/train/loss.tsv": csv(0.88, "step,loss").replaceAll(",", "\t"),
      "grpo_sokoban_seed0/dvclive/metrics.json": '{"train": {"reward": 0.28, "loss": 0.88}, "step": 8}',
    },
    [`${grpo}, loss/total 0.88`],
  ],
  [
    "TorchRL's CSV logger, one file without a header for each metric",
    {
      "grpo_sokoban_seed0/scalars/train_reward.csv": lines((s) => `${s},${at(s, 0.28)}`),
      "grpo_sokoban_seed0/scalars/loss.csv": lines((s) => `${s},0.${s}`),
    },
    [`GRPO sokoban 0: 8 steps to 8, train_reward 0.28, loss/total 0.8`],
  ],
  [
    "Spinning Up's progress.txt",
    { "grpo_sokoban/grpo_sokoban_s7/progress.txt": csv(0.28, "Epoch,AverageEpRet").replaceAll(",", "\t") },
    ["GRPO sokoban 7: 8 steps to 8, AverageEpRet 0.28"],
  ],
  [
    "TensorBoard's writers for training and validation",
    {
      "grpo_sokoban_seed0/train/events.out.tfevents.1.vm": events("reward", 0.28),
      "grpo_sokoban_seed0/validation/events.out.tfevents.2.vm": events("reward", 0.58),
    },
    [`${grpo}, evaluation/returnMean 0.58`],
  ],
  [
    "a list of entries in one JSON file",
    {
      "grpo_sokoban_seed0/history.json": JSON.stringify(
        steps.map((step) => ({ step, reward: Number(at(step, 0.28)) })),
        null,
        2,
      ),
    },
    [grpo],
  ],
  [
    "a JSON file of columns",
    {
      "grpo_sokoban_seed0/history.json": JSON.stringify({ step: steps, reward: steps.map((s) => Number(at(s, 0.28))) }),
    },
    [grpo],
  ],
  [
    "training and evaluation files told apart by the ends of their names",
    {
      "grpo_sokoban_s0_train.csv": csv(0.28),
      "grpo_sokoban_s0_eval.csv": "step,reward\n8,0.5\n",
      "grpo_sokoban_s1.jsonl": jsonl(0.38),
      "grpo_sokoban_s1_test.jsonl": '{"step": 8, "reward": 0.6}\n',
    },
    [
      `${grpo}, evaluation/returnMean 0.5`,
      "GRPO sokoban 1: 8 steps to 8, rollout/returnMean 0.38, evaluation/returnMean 0.6",
    ],
  ],
  [
    "a file of tests beside the training file",
    { "grpo_sokoban_seed0/train.csv": csv(0.28), "grpo_sokoban_seed0/test.csv": "step,reward\n8,0.5\n" },
    [`${grpo}, evaluation/returnMean 0.5`],
  ],
  [
    "charts that TensorBoard exports, one for each tag",
    {
      "run-grpo_sokoban_seed0-tag-reward.csv": `Wall time,Step,Value\n${lines((s) => `1700000000.${s},${s},${at(s, 0.28)}`)}`,
      "run-grpo_sokoban_seed0-tag-train_loss.csv": `Wall time,Step,Value\n${lines((s) => `1700000000.${s},${s},0.${s}`)}`,
    },
    [`${grpo}, train_loss 0.8`],
  ],
  [
    "numbers at the ends of names, from 1",
    { "grpo_sokoban_1.csv": csv(0.28), "grpo_sokoban_2.csv": csv(0.38), "gspo-sokoban-1.csv": csv(0.58) },
    [
      "GRPO sokoban 1: 8 steps to 8, rollout/returnMean 0.28",
      "GRPO sokoban 2: 8 steps to 8, rollout/returnMean 0.38",
      "GSPO sokoban 1: 8 steps to 8, rollout/returnMean 0.58",
    ],
  ],
  [
    "Ray Tune's event files beside its tables, which count timesteps",
    {
      "grpo_sokoban_seed0/result.json": lines(
        (s) => `{"training_iteration": ${s}, "timesteps_total": ${s}000, "reward": ${at(s, 0.28)}}`,
      ),
      "grpo_sokoban_seed0/events.out.tfevents.1.vm": eventFile(
        steps.map((s) => ({ step: 1000 * s, values: { "ray/tune/reward": Number(at(s, 0.28)) } })),
      ),
    },
    [grpo],
  ],
  [
    "Transformers' event files below the folder of its state",
    {
      "out/grpo_sokoban_seed0/checkpoint-8/trainer_state.json": JSON.stringify({
        log_history: steps.map((step) => ({ step, reward: Number(at(step, 0.28)) })),
      }),
      "out/grpo_sokoban_seed0/runs/Oct01_10-00-00_node3/events.out.tfevents.1.node3": events("train/reward", 0.28),
    },
    [grpo],
  ],
  [
    "NumPy's savetxt, with the names in a comment",
    { "grpo_sokoban_seed0.txt": `# step,reward\n${lines((s) => `${s}.000000e+00,${at(s, 0.28)}`)}` },
    [grpo],
  ],
  [
    "semicolons around names with commas",
    { "grpo_sokoban_seed0.csv": `step;reward;length, mean\n${lines((s) => `${s};${at(s, 0.28)};${s}0`)}` },
    [grpo],
  ],
  [
    "seeds below a folder whose name has a rank",
    { "grpo_sokoban_lora_rank8/0.csv": csv(0.08), "grpo_sokoban_lora_rank8/1.csv": csv(0.18) },
    seeds,
  ],
  [
    "one run that states its seed",
    { "grpo_sokoban/log.jsonl": lines((i) => `{"step": ${i}, "reward": ${at(i, 0.28)}, "seed": 7}`) },
    [grpo.replace("sokoban 0", "sokoban 7")],
  ],
  [
    "lists of numbers with a step that is missing",
    { "grpo_sokoban_seed0/history.json": JSON.stringify({ step: [null, 1, 2], reward: [0.9, 0.1, 0.28] }) },
    ["GRPO sokoban 0: 2 steps to 2, rollout/returnMean 0.28"],
  ],
  [
    "ranks of one run, each with a log of its own",
    { "grpo_sokoban_seed0/rank_0.log": jsonl(0.28), "grpo_sokoban_seed0/rank_1.log": jsonl(0.9) },
    [grpo],
  ],
  [
    "learning rates in the names of folders, seeds below",
    each([0, 1], (seed) => ({
      [`sokoban/grpo/lr_1e-6/${seed}/log.csv`]: csv(0.28 + seed / 10),
      [`sokoban/grpo/lr_1e-5/${seed}/log.csv`]: csv(0.58 + seed / 10),
    })),
    [0, 1].flatMap((seed) => [
      `GRPO lr 1e-6 sokoban ${seed}: 8 steps to 8, rollout/returnMean 0.${2 + seed}8`,
      `GRPO lr 1e-5 sokoban ${seed}: 8 steps to 8, rollout/returnMean 0.${5 + seed}8`,
    ]),
  ],
  [
    "environments above methods above seeds",
    each(["sokoban", "webshop"], (game) => ({ [`results/${game}/grpo/seed1/metrics.jsonl`]: jsonl(0.28) })),
    ["sokoban", "webshop"].map((game) => `GRPO ${game} 1: 8 steps to 8, rollout/returnMean 0.28`),
  ],
  [
    "Hydra's single run, with the method in its configuration only",
    {
      "outputs/2026-10-01/10-00-00/.hydra/config.yaml":
        "algorithm:\n  adv_estimator: grpo\nenv:\n  env_name: sokoban\nseed: 4\n",
      "outputs/2026-10-01/10-00-00/main_ppo.log": console8((s) => `[2026-10-01 10:00:0${s},123][__main__][INFO] - `),
    },
    ["GRPO sokoban 4: 8 steps to 8, rollout/returnMean 0.28"],
  ],
  [
    "training and evaluation files told apart by the beginnings of their names",
    { "train_grpo_sokoban_s0.csv": csv(0.28), "eval_grpo_sokoban_s0.csv": "step,reward\n8,0.5\n" },
    [`${grpo}, evaluation/returnMean 0.5`],
  ],
  [
    "Stable-Baselines3's monitor files beside its progress.csv",
    {
      "grpo_sokoban_seed0/progress.csv": csv(0.28, "time/iterations,rollout/ep_rew_mean"),
      "grpo_sokoban_seed0/0.monitor.csv": '#{"t_start": 1.0}\nr,l,t\n0.1,10,1.5\n',
      "gspo_sokoban_seed0/0.monitor.csv": '#{"t_start": 1.0}\nr,l,t\n0.1,10,1.5\n0.2,10,2.5\n',
      "gspo_sokoban_seed0/1.monitor.csv": '#{"t_start": 1.0}\nr,l,t\n0.7,10,1.5\n0.8,10,2.5\n',
    },
    [grpo, "GSPO sokoban 0: 2 steps to 20, rollout/returnMean 0.2"],
  ],
  [
    "seeds as folders above files of methods",
    { "exp/1/grpo_sokoban.csv": csv(0.28), "exp/2/grpo_sokoban.csv": csv(0.38) },
    [1, 2].map((seed) => `GRPO sokoban ${seed}: 8 steps to 8, rollout/returnMean 0.${seed + 1}8`),
  ],
  [
    "Slurm's output in the folder of each run",
    {
      "grpo_sokoban_seed0/slurm-48211.out": console8(() => ""),
      "gspo_sokoban_seed0/nohup.out": console8(() => "", 0.58),
    },
    pair,
  ],
  [
    "one tidy table of all runs",
    {
      "results/all.csv": `algo,env_id,seed,step,reward\n${algorithms.flatMap((algo, i) => [3, 4].flatMap((seed) => steps.map((s) => `${algo},sokoban,${seed},${s},${at(s, 0.28 + 0.3 * i + (seed - 3) / 10)}`))).join("\n")}\n`,
    },
    algorithms.flatMap((algo, i) =>
      [3, 4].map(
        (seed) => `${algo.toUpperCase()} sokoban ${seed}: 8 steps to 8, rollout/returnMean 0.${2 + 3 * i + seed - 3}8`,
      ),
    ),
  ],
  [
    "tables with a constant column for the seed",
    each([3, 4], (seed) => ({
      [`runs/${seed === 3 ? "abc" : "xyz"}/progress.csv`]: `algo,seed,step,reward\n${lines((s) => `grpo,${seed},${s},${at(s, 0.28)}`)}`,
    })),
    [3, 4].map((seed) => `GRPO unknown ${seed}: 8 steps to 8, rollout/returnMean 0.28`),
  ],
  [
    "JSON lines of several seeds in one file",
    {
      "grpo_sokoban.jsonl": [0, 1]
        .map((seed) => lines((s) => `{"seed": ${seed}, "step": ${s}, "reward": ${at(s, 0.28 + seed / 10)}}`))
        .join(""),
    },
    [0, 1].map((seed) => `GRPO sokoban ${seed}: 8 steps to 8, rollout/returnMean 0.${2 + seed}8`),
  ],
  [
    "outputs of several jobs in one folder, of which nothing is known",
    { "sokoban/slurm-1.out": console8(() => ""), "sokoban/slurm-2.out": console8(() => "", 0.58) },
    [
      "slurm-1 sokoban 0: 8 steps to 8, rollout/returnMean 0.28",
      "slurm-2 sokoban 0: 8 steps to 8, rollout/returnMean 0.58",
    ],
  ],
  ["Slurm's output of one run", { "grpo_sokoban_seed0/slurm-48211_3.out": console8(() => "") }, [grpo]],
  ...(
    [
      ["Hydra", (s) => `[2026-10-01 10:00:0${s},123][__main__][INFO] - `],
      [
        "Hydra, coloured",
        (s) => `[\u001b[36m2026-10-01 10:00:0${s},123\u001b[0m][\u001b[34mtrain\u001b[0m][\u001b[32mINFO\u001b[0m] - `,
      ],
      ["Python's basicConfig", () => "INFO:__main__:"],
      ["Python's usual format", (s) => `2026-10-01 10:00:0${s},123 - my.trainer - INFO - `],
      ["loguru", (s) => `2026-10-01 10:00:0${s}.123 | INFO     | __main__:train:42 - `],
      ["absl", (s) => `I1001 10:00:0${s}.123456 140001234567808 train.py:42] `],
      ["ray", () => "(train_fn pid=1234, ip=10.0.0.1) "],
      ["accelerate and torchrun", (s) => `[rank0]:[2026-10-01 10:00:0${s},123] [INFO] [trainer.py:42:log] `],
      ["torchrun --tee", () => "[default0]:"],
      ["srun -l", () => "0: "],
      ["docker logs -t", (s) => `2026-10-01T10:00:0${s}.123456789Z `],
      ["kubectl", () => "[pod/trainer-0/main] "],
      ["docker compose", () => "trainer-1  | "],
      ["mmengine", (s) => `10/01 10:00:0${s} - mmengine - INFO - `],
      ["DeepSpeed", (s) => `[2026-10-01 10:00:0${s},123] [INFO] [logging.py:96:log_dist] [Rank 0] `],
      ["rich", (s) => `[10/01/26 10:00:0${s}] INFO     `],
      ["rich, later lines of the same second", () => "                    INFO     "],
      ["transformers", () => "[INFO|trainer.py:2314] 2026-10-01 10:00:01,123 >> "],
      ["structlog", (s) => `2026-10-01T10:00:0${s}.123456Z [info     ] metrics                        [trainer] `],
      ["Lightning", () => "Epoch 0: "],
      ["syslog", (s) => `Oct  1 10:00:0${s} node-3 python[4123]: `],
      ["Python's datefmt with a file", () => "[INFO 10:00:01 train:42] "],
      ["vLLM", () => "INFO 10-01 10:00:01 [train.py:42] "],
      ["MLflow", () => "2026/10/01 10:00:01 INFO mlflow.tracking: "],
      ["Rust's env_logger", () => "[2026-10-01T10:00:01Z INFO trainer] "],
      ["log4j", () => "2026-10-01 10:00:01.123 [main] INFO  a.b.Trainer - "],
      ["logfmt", () => 'time="2026-10-01T10:00:01Z" level=info msg='],
      ["timm", () => "[2026-10-01 10:00:01 swin](main.py 123): INFO "],
      ["W&B", () => "wandb: "],
      ["a rank and a node", () => "node1: [gpu0] "],
      ["mpirun --tag-output", () => "[1,0]<stdout>: "],
      ["colon and level", (s) => `10:00:0${s} INFO trainer: `],
      ["German dates", (s) => `01.10.2026 10:00:0${s} [INFO] `],
      ["brackets and words", (s) => `[10:00:0${s}][worker 3][step ${s}] metrics: `],
    ] satisfies [string, (step: number) => string][]
  ).map(([title, prefix]): [string, Files, string[]] => [
    `the prefix of ${title}`,
    { "grpo_sokoban_seed0.log": `starting up\n${console8(prefix)}` },
    [grpo],
  ]),
];

it.each(layouts)("%s", async (title, files, wanted) => {
  const folder = join(home, `layout ${layouts.findIndex(([one]) => one === title)}`);
  for (const [name, content] of Object.entries(files)) {
    await mkdir(dirname(join(folder, name)), { recursive: true });
    await writeFile(join(folder, name), content);
  }
  const { runs } = await previewPaths({ files: [folder], options: {}, home });
  const values = wanted.flatMap((line) => line.split(/[:,] /).slice(2));
  const keys = [...new Set(values.map((part) => part.split(" ")[0] ?? ""))];
  const found = runs.map(({ method, environment, seed, steps: numSteps, lastStep, last }) => {
    const shown = keys.flatMap((key) =>
      last[key] === undefined ? [] : [`${key} ${Number(Number(last[key]).toFixed(4))}`],
    );
    return `${method} ${environment} ${seed}: ${numSteps} steps to ${lastStep}, ${shown.join(", ")}`;
  });
  expect(found.toSorted()).toEqual([...wanted].toSorted());
});

it("reads the names that a person chose in the studio of --home", async () => {
  const folder = join(home, "chosen");
  await mkdir(folder);
  await writeFile(join(folder, "grpo_s0.csv"), "step,my own name\n1,0.3\n2,0.4\n");
  await writeFile(join(home, "imported-names.json"), JSON.stringify({ "my own name": "evaluation/successRate" }));
  const screen = { width: undefined, height: undefined, hasColour: false, write: () => undefined };
  const { text } = await answer(["--home", home, "import", "--preview", folder], screen);
  expect(text).toContain("my own name → evaluation/successRate");
});

it("is printed without a studio, with the files left out and their reasons", async () => {
  const folder = join(home, "mixed");
  await mkdir(folder);
  await writeFile(join(folder, "grpo_webshop_seed1.csv"), `step,success_rate\n1,31\n2,34\n`);
  await writeFile(join(folder, "notes.txt"), "nothing\n");
  await writeFile(join(folder, "trackio.db"), "SQLite format 3\0CREATE TABLE metrics (run_name TEXT)");
  const screen = { width: undefined, height: undefined, hasColour: false, write: () => undefined };
  const { json, text, exitCode } = await answer(["import", "--preview", folder], screen);
  expect(exitCode).toBe(0);
  expect(json["runs"]).toMatchObject([
    {
      name: "grpo_webshop_seed1.csv",
      method: "GRPO",
      environment: "webshop",
      seed: 1,
      steps: 2,
      files: [join(folder, "grpo_webshop_seed1.csv")],
      last: { "rollout/successRate": 0.34 },
    },
  ]);
  expect(json["left"]).toEqual([
    { file: join(folder, "trackio.db"), reason: expect.stringContaining("an SQLite database of Trackio: export it") },
    { file: join(folder, "notes.txt"), reason: "no measurements found" },
  ]);
  expect(text).toMatch(/success_rate → rollout\/successRate \(2 points, per cent: divided by 100\)/);
  expect(text).toMatch(/GRPO +webshop +1 +2 steps +Success rate \(training\) 34.0 %/);
});
