import { describe, expect, it } from "vitest";
import { parseJsonLine } from "../logs/lineReader.ts";
import { makeLineReader } from "../logs/lineReader.ts";
import { isDropped } from "./canonical.ts";
import { makeNamer } from "./namer.ts";
import { settle } from "../logs/settle.ts";
import { toSeries } from "../logs/toSeries.ts";
import type { Dialect } from "./dialects.ts";

const series = (dialect: Dialect, values: Record<string, number>) =>
  toSeries({ lines: [{ step: 1, values }], dialect }).points[0]?.values;

/** Misleading names, which an importer that guesses from their wording would misread. */
const traps: readonly [what: string, dialect: Dialect, logged: Record<string, number>, read: Record<string, number>][] =
  [
    [
      "verl: a difference of probabilities is no mismatch in nats",
      "verl",
      { "training/rollout_probs_diff_mean": 0.01 },
      { "policy/samplerProbabilityGap": 0.01 },
    ],
    [
      "verl: the KL in the reward is logged before its coefficient",
      "verl",
      { "actor/reward_kl_penalty": 0.02, "actor/reward_kl_penalty_coeff": 0.001 },
      { "policy/klReference": 0.02, "update/klCoef": 0.001 },
    ],
    [
      "verl: the old policy's entropy stands before the current one's",
      "verl",
      { "actor/entropy_loss": 0.3, "actor/entropy": 0.4 },
      { "policy/entropy": 0.4, "actor/entropy_loss": 0.3 },
    ],
    [
      "verl: best@n is drawn with replacement and no pass@n",
      "verl",
      { "val-core/openai/gsm8k/acc/mean@8": 0.5, "val-core/openai/gsm8k/acc/best@8/mean": 0.8 },
      { "evaluation/successRate": 0.5, "val-core/openai/gsm8k/acc/best@8/mean": 0.8 },
    ],
    [
      "verl-agent: the rows' score lacks the penalty of invalid actions",
      "verlAgent",
      { "critic/score/mean": 8, "episode/reward/mean": 9 },
      { "critic/score/mean": 8, "rollout/returnMean": 9 },
    ],
    [
      "ARLArena: names of two slashes are flattened",
      "verlAgent",
      { "critic/score_mean": 8, "episode/reward_mean": 9, "episode/length_mean": 12 },
      { "critic/score_mean": 8, "rollout/returnMean": 9, "rollout/episodeTurns": 12 },
    ],
    ["ARLArena: new − old", "verlAgent", { "actor/delta_log_prob": 0.02 }, { "policy/klOld": -0.02 }],
    [
      "ROLL: new − old",
      "roll",
      { "actor/policykl": 0.02, "actor/approxkl": 0.1 },
      { "policy/klOld": -0.02, "actor/approxkl": 0.1 },
    ],
    [
      "AReaL: new − old and old − sampler",
      "areal",
      { "ppo_actor/update/approx_kl/avg": 0.02, "ppo_actor/update/behave_approx_kl/avg": -0.03 },
      { "policy/klOld": -0.02, "policy/samplerKl": 0.03 },
    ],
    [
      "AReaL: of its three estimates of the sampler's KL, the quadratic one is neither k1 nor k3",
      "areal",
      {
        "ppo_actor/update/compute_logp/kl_div_direct/avg": 0.01,
        "ppo_actor/update/compute_logp/kl_div_taylor/avg": 0.02,
        "ppo_actor/update/compute_logp/kl_div_dual/avg": 0.03,
      },
      {
        "policy/samplerKl": 0.01,
        "ppo_actor/update/compute_logp/kl_div_taylor/avg": 0.02,
        "mismatch/k3": 0.03,
      },
    ],
    ["no minus before a zero", "roll", { "actor/policykl": 0 }, { "policy/klOld": 0 }],
    ["TRL: the spread is the batch's", "trl", { reward_std: 0.4 }, { reward_std: 0.4 }],
    ["TRL, asynchronous: the spread is the groups'", "trlAsync", { reward_std: 0.4 }, { "group/returnStd": 0.4 }],
    ["TRL: the policy loss contains the KL", "trl", { policy_loss: 0.4 }, { policy_loss: 0.4 }],
    [
      "TRL: clipped tokens are counted where the advantage has the sign",
      "trl",
      { "clip_ratio/low_mean": 0.1, "clip_ratio/high_mean": 0.2, "clip_ratio/region_mean": 0.3 },
      { "policy/boundedLowFraction": 0.1, "policy/boundedHighFraction": 0.2, "policy/clipFraction": 0.3 },
    ],
    ["TRL: the KL to the reference", "trl", { kl: 0.1 }, { "policy/klReference": 0.1 }],
    ["TRL, asynchronous: the drift from the sampler", "trlAsync", { kl: 0.1 }, { "policy/klOld": 0.1 }],
    [
      "OpenRLHF: a rate in per cent of samples over prompts is none",
      "openRlhf",
      { "train/dynamic_filtering_pass_rate": 400, "train/rollout/reward_std": 0.4, "train/group_reward_std": 0.2 },
      { "train/dynamic_filtering_pass_rate": 400, "train/rollout/reward_std": 0.4, "group/returnStd": 0.2 },
    ],
    [
      "NeMo RL: per cent, sums of norms, and an accuracy that is a reward",
      "nemoRl",
      { "train/baseline_reward/pct_0": 25, "train/grad_norm": 4, "validation/accuracy": -0.5 },
      { "group/noneSolvedFraction": 0.25, "train/grad_norm": 4, "evaluation/returnMean": -0.5 },
    ],
    [
      "slime: a value loss without its half, and rewards that are normalised",
      "slime",
      { "train/critic-value_loss": 0.5, "rollout/rewards": 0.001, "rollout/raw_reward": 0.6 },
      { "critic/loss": 0.25, "rollout/rewards": 0.001, "rollout/returnMean": 0.6 },
    ],
    [
      "SkyRL: a padded width is no length, and loss/ holds rewards",
      "skyRl",
      { "policy/response_length": 4096, "loss/avg_final_rewards": 0.5 },
      { "policy/response_length": 4096, "rollout/returnMean": 0.5 },
    ],
    [
      "prime-rl: a mean of partial sums is not the loss, and its mismatch is k3, not k1",
      "primeRl",
      { "loss/mean": 0.001, "is_masked_high/mean": 0.1, "mismatch_kl/all/mean": 0.02 },
      { "loss/mean": 0.001, "policy/boundedHighFraction": 0.1, "mismatch/k3": 0.02 },
    ],
    [
      "rLLM: an absolute difference that is called a KL, and half a mean square, which is no metric here",
      "rllm",
      { "train/kl_sample_train_v1": 0.1, "train/kl_sample_train_v2": 0.005 },
      { "policy/samplerMismatch": 0.1, "train/kl_sample_train_v2": 0.005 },
    ],
    [
      "NeMo RL: the error of generation is k3, not k1",
      "nemoRl",
      { "train/gen_kl_error": 0.02 },
      { "mismatch/k3": 0.02 },
    ],
  ];

describe("names that mislead", () => {
  it.each(traps)("%s", (_, dialect, logged, read) => expect(series(dialect, logged)).toEqual(read));

  it("in units of the catalogue on the way in, and of the trainer on the way out", () => {
    const name = makeNamer("roll");
    expect(name({ "actor/policykl": 0.5, "time/step_total": 2 })).toEqual({
      values: { "policy/klOld": -0.5, "time/iterationMs": 2000 },
      originals: { "policy/klOld": "actor/policykl", "time/iterationMs": "time/step_total" },
    });
  });
});

describe("the paper's columns from verl's names", () => {
  const logged = {
    "val/success_rate": 0.5,
    "val/pick_and_place_success_rate": 0.9,
    "val/pick_two_obj_and_place_success_rate": 0.1,
    "val/pick_heat_then_place_in_recep_success_rate": 0.3,
    "val/webshop_task_score (not success_rate)": 0.7,
    "val/test_score/aime_pass@4": 0.4,
    "actor/num_masked_seqs": 3,
    "episode/length_mean": 17,
  };
  const read = {
    "evaluation/successRate": 0.5,
    "taskSuccess/pick": 0.9,
    "taskSuccess/pick2": 0.1,
    "taskSuccess/heat": 0.3,
    "evaluation/score": 0.7,
    "evaluation/passAt4": 0.4,
    "policy/numMaskedRows": 3,
    "rollout/episodeTurns": 17,
  };
  const under = (change: (key: string) => string) =>
    Object.fromEntries(Object.entries(logged).map(([key, value]) => [change(key), value]));

  it("as they are, as MLflow and as TensorBoard write them; a kind that no game had stays a gap", () => {
    const mlflow = (key: string) => key.replaceAll("@", "_at_").replaceAll(/[()]/g, "_");
    const tensorBoard = (key: string) => key.replaceAll(/[^-/\w.]/g, "_");
    for (const change of [(key: string) => key, mlflow, tensorBoard]) {
      const [point] = toSeries({ lines: [{ step: 1, values: under(change) }] }).points;
      expect(point?.values).toEqual(read);
    }
  });

  it("by data set where there are several, as one rate where there is one, in a stream too", () => {
    const several = { "val-core/aime24/acc/mean@8": 0.2, "val-core/aime25/acc/mean@8": 0.1, "actor/lr": 1 };
    const named = { "taskSuccess/aime24": 0.2, "taskSuccess/aime25": 0.1, "update/learningRate": 1 };
    expect(series("verl", several)).toEqual(named);
    expect(makeNamer()(several).values).toEqual(named);
    expect(series("verl", { "val-core/aime24/acc/mean@8": 0.2 })).toEqual({ "evaluation/successRate": 0.2 });
  });

  it("and a data set that the plan evaluates elsewhere leaves the own one its name", () => {
    const elsewhere = "evaluation/elsewhere/aime/successRate";
    const name = makeNamer(undefined, {}, { "val-core/aime/acc/mean@8": elsewhere });
    const logged = { "val-core/gsm8k/acc/mean@1": 0.2, "val-core/aime/acc/mean@8": 0.1, "actor/lr": 1 };
    expect(name(logged).values).toEqual({
      "evaluation/successRate": 0.2,
      [elsewhere]: 0.1,
      "update/learningRate": 1,
    });
  });
});

describe("logs that mislead", () => {
  it("prime-rl: trainer and orchestrator write one file, and their times are no run that goes back", () => {
    const rows = [1, 2, 3, 4, 5].flatMap((step) => [
      { step: step + 1, time: 1_787_000_000, "time/step": 50 + step, "time/wait_for_policy": 1, "time/save_ckpt": 0.5 },
      { step, time: 1_787_000_001, "time/step": 70 + step, "time/forward_backward": 40, "time/save_ckpt": 0.25 },
      { step, time: 1_787_000_001, "optim/grad_norm": step },
    ]);
    const lines = rows.flatMap((row) => parseJsonLine(JSON.stringify(row)) ?? []);
    const { steps, restarts } = settle(lines);
    expect(restarts).toEqual([]);
    expect(steps.map(({ values }) => values["time/step"])).toEqual([71, 72, 73, 74, 75, undefined]);
    expect(steps[1]).toMatchObject({
      values: { "orchestrator/time/step": 51, "optim/grad_norm": 2 },
      atMs: 1_787_000_001_000,
    });
  });

  it("slime: updates and rollouts are counted apart, and an iteration has the mean of its updates", () => {
    const read = makeLineReader("slimeConsole");
    const line = (kind: string, step: number, values: string) =>
      `[2026-08-21 10:02:11] model.py:919 - ${kind} ${step}: {${values}}`;
    const text = [
      line("rollout", 0, "'rollout/raw_reward': 0.1"),
      line("step", 0, "'train/grad_norm': 1.0"),
      line("step", 1, "'train/grad_norm': 3.0"),
      line("perf", 0, "'perf/step_time': 70.5"),
      line("rollout", 1, "'rollout/raw_reward': 0.2"),
      line("step", 2, "'train/grad_norm': 5.0"),
    ];
    const { steps, restarts } = settle(text.flatMap((one) => read(one) ?? []));
    expect(restarts).toEqual([]);
    expect(steps).toEqual([
      { step: 0, values: { "rollout/raw_reward": 0.1, "train/grad_norm": 2, "perf/step_time": 70.5 } },
      { step: 1, values: { "rollout/raw_reward": 0.2, "train/grad_norm": 5 } },
    ]);
  });

  it("SkyRL: a dictionary over several lines, ended where it ends", () => {
    const read = makeLineReader("skyRlConsole");
    const head = "2026-08-21 10:02:11.345 | INFO     | skyrl.train.utils.tracking:log:189 - Step 12: ";
    const lines = [head, "{'loss/avg_kl': '0.0021',", " 'policy/grad_norm': 'nan'}", " 'not/mine': '1.0',"];
    expect(lines.map((line) => read(line))).toEqual([
      { step: 12, values: {} },
      { step: 12, values: { "loss/avg_kl": 0.0021 } },
      { step: 12, values: { "policy/grad_norm": NaN } },
      undefined,
    ]);
  });

  it("AReaL: prints steps from 1, logs them from 0", () => {
    const read = makeLineReader("arealConsole");
    expect(read("│ rollout/reward │ 5.3000e-01 │")).toBeUndefined();
    read("(AReaL) 20260821 StatsLogger INFO: Epoch 1/10 Step 12/468 Train step 12/4680 done.");
    expect(read("│ rollout/reward │ 5.3000e-01 │ timeperf/eval │ 2.0000e+00 │")).toEqual({
      step: 11,
      values: { "rollout/reward": 0.53, "timeperf/eval": 2 },
    });
  });

  it("prime-rl: rates are printed in per cent and logged as shares, durations in words", () => {
    const read = makeLineReader("primeRlConsole");
    const line =
      "\u001b[32m10:02:12 SUCCESS Step 3 | 1m 11s | Reward 0.5300 | Turns 3.2 | Error 0.0% | Truncation 1.6%\u001b[0m";
    expect(read(line)).toEqual({
      step: 3,
      values: {
        "orchestrator/time/step": 71,
        "train/agg/effective/agents/reward/mean": 0.53,
        "train/agg/effective/num_turns/mean": 3.2,
        "train/agg/all/has_error/mean": 0,
        "train/agg/effective/agents/is_truncated/mean": 0.016,
      },
    });
  });
});

it("names with which trainers state what they dropped are known, and shares that they kept are not taken for them", () => {
  const dropped = [
    "response/aborted_ratio",
    "training/filter_groups/evicted_samples",
    "async/num_groups_dropped",
    "rollout/dynamic_filter/drop_zero_std_1.0",
    "groups/dropped_zero_adv",
  ];
  const others = ["rollout/filter_kept_ratio", "train/filtered_reward", "async/keep_rate", "response_length/mean"];
  expect([...dropped, ...others].filter(isDropped)).toEqual(dropped);
});
