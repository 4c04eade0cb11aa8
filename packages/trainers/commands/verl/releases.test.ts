import { spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { split } from "#trainer/spec/rng.ts";
import { type Correction, noCorrection } from "#trainer/spec/correction.ts";
import type { Aggregation } from "#trainer/spec/dimensions.ts";
import { effectiveAggregation, methodNames, methodOf, type Method } from "#trainer/spec/method.ts";
import { RunSpec } from "#trainer/spec/run.ts";
import { settings } from "../testing/settings.ts";
import { lossOf } from "./part.ts";
import { releaseOf, verlReleases } from "./releases.ts";
import { upstreamArguments } from "./upstream.ts";

/** File with facts about three releases: keys with defaults, estimators, and losses that use the passed mode. */
const file = join(process.env["ARLARENA_REFERENCE"] ?? "../shared/reference", "verl-versions.json");
const Release = z.object({
  advantageEstimators: z.array(z.string()),
  defaults: z.record(z.string(), z.unknown()),
  policyLossAggregation: z.record(z.string(), z.array(z.string())),
});
const Reference = z.object({ releases: z.record(z.string(), Release) });
const isThere = existsSync(file);
const reference = isThere ? Reference.parse(JSON.parse(readFileSync(file, "utf8"))).releases : {};
/** Patch releases that the reference lacks: differences from one that it has. recordPatches.py records them. */
const Patches = z.record(
  z.string(),
  z.object({
    like: z.string(),
    losses: z.record(z.string(), z.array(z.string())),
    estimators: z.array(z.string()),
    lacks: z.array(z.string()),
    adds: z.record(z.string(), z.unknown()),
  }),
);
const patches = Patches.parse(JSON.parse(readFileSync(new URL("testing/patchReleases.json", import.meta.url), "utf8")));
const releases: Readonly<Record<string, z.infer<typeof Release>>> = isThere ? { ...reference, ...patched() } : {};
const versions = Object.entries(releases).toSorted(([a], [b]) => a.localeCompare(b));

function patched(): Record<string, z.infer<typeof Release>> {
  const entries = Object.entries(patches).map(([version, { like, losses, estimators, lacks, adds }]) => {
    const left = Object.entries(reference[like]?.defaults ?? {}).filter(([key]) => !lacks.includes(key));
    const defaults = { ...Object.fromEntries(left), ...adds };
    return [version, { advantageEstimators: estimators, defaults, policyLossAggregation: losses }] as const;
  });
  return Object.fromEntries(entries);
}

const modeOf: Readonly<Record<Aggregation, string>> = {
  tokenMean: "token-mean",
  seqMeanTokenMean: "seq-mean-token-mean",
  seqMeanTokenSum: "seq-mean-token-sum",
  seqMeanTokenSumNorm: "seq-mean-token-sum-norm",
  tokenSum: "",
};
const aggregations = ["tokenMean", "seqMeanTokenMean", "seqMeanTokenSum", "seqMeanTokenSumNorm", "tokenSum"] as const;

function specOf(method: Method, change: object = {}): RunSpec {
  return RunSpec.parse({
    v: 1,
    seed: 3,
    environment: { id: "tirMath", maxTurns: 1 },
    method,
    rollout: { numGroups: 64, groupSize: 8, maxResponseTokens: 1024 },
    update: { minibatchRows: 128, oldLogProbs: "trainer" },
    optimizer: { learningRate: 1e-6 },
    budget: { iterations: 20 },
    ...change,
  });
}

const argumentsOf = (spec: RunSpec, version: string, change: object = {}) =>
  upstreamArguments(spec, { ...settings, flavour: "verl", gpus: 8, version, ...change });

/** Returns the value of a key in a command; undefined if the release's default applies. */
function valueOf(overrides: readonly string[], key: string): string | undefined {
  return overrides.find((one) => one.replace(/^\+/, "").startsWith(`${key}=`))?.replace(/^[^=]*=/, "");
}

const A = "actor_rollout_ref.actor";
/** Numbers of methods that each release supports fully, supports with a note on differences, or does not support. */
const tallies: Readonly<Record<string, { passed: number; noted: number; refused: number }>> = {
  "0.7.0": { passed: 8, noted: 11, refused: 36 },
  "0.7.1": { passed: 8, noted: 15, refused: 32 },
  "0.8.0": { passed: 8, noted: 16, refused: 31 },
  "0.9.0": { passed: 7, noted: 19, refused: 29 },
  "0.9.1": { passed: 7, noted: 20, refused: 28 },
};

describe.skipIf(!isThere)("commands for every patch release of verl (needs the reference folder)", () => {
  it("cover every release since 0.7 on PyPI", () => {
    expect(versions.map(([version]) => releaseOf(version).release)).toEqual([...verlReleases]);
    for (const [version] of versions) expect(releaseOf(version).doubt).toBeUndefined();
  });

  it("are refused for releases before 0.7, and noted for releases that are not known", () => {
    const of = (version: string) => argumentsOf(specOf(methodOf("grpo")), version);
    for (const version of ["0.1", "0.3.0.post1", "0.4.1", "v0.5.0", "0.6.1"]) {
      const message = `verl ${version} is older than 0.7.0, the oldest release whose settings the studio knows: install 0.9.1`;
      expect(of(version).problems).toEqual([{ path: "trainer.name", message }]);
    }
    for (const version of ["0.10.0", "1.0.0", "0.9.2", "0.7.2"]) {
      expect(of(version).problems).toEqual([]);
      expect(of(version).notes.map(({ message }) => message)).toContainEqual(
        expect.stringMatching(/^verl \S+ was not tested: the command is for 0\.(?:9\.1|7\.1) /),
      );
    }
  });

  it("refuse what a patch release trains otherwise: LUSPO before 0.9.1, DPPO and rejections in 0.7.0", () => {
    const pathsOf = (name: Parameters<typeof methodOf>[0], version: string) =>
      argumentsOf(
        specOf(methodOf(name), { update: { minibatchRows: 128, oldLogProbs: "trainer", klCoef: 0 } }),
        version,
      ).problems.map(({ path }) => path);
    const luspo = (version: string) => pathsOf("luspo", version).includes("method.aggregation");
    expect(["0.7.0", "0.7.1", "0.8.0", "0.9.0", "0.9.1"].map(luspo)).toEqual([true, true, true, true, false]);
    // The loss of other versions is unknown, and verl's main branch has GSPO's.
    expect(["0.9", "0.9.1.dev3", "0.12.0"].map(luspo)).toEqual([true, true, true]);
    expect(pathsOf("dppoTv", "0.7.0")).toContain("method.clipping.kind");
    expect(pathsOf("dppoTv", "0.7.1")).not.toContain("method.clipping.kind");
    expect(pathsOf("grpoSeqMis", "0.7.0")).toContain("method.correction.reject");
    expect(pathsOf("grpoSeqMis", "0.7.1")).toEqual([]);
  });

  it("name the reward function and the value that filters groups as each release does", () => {
    const task = { dataFolder: "/t", reward: { file: "/t/r.py", name: "f" }, elsewhere: [], problems: [] };
    const of = (name: "grpo" | "dapoGrpo", version: string) =>
      argumentsOf(
        specOf(methodOf(name), { update: { minibatchRows: 128, oldLogProbs: "trainer", klCoef: 0 } }),
        version,
        {
          task,
        },
      );
    for (const [version, { defaults }] of versions) {
      const [path] = of("grpo", version).overrides.filter((one) => one.includes("custom_reward_function.path="));
      expect(path, version).toBe(`${version === "0.7.0" ? "" : "reward."}custom_reward_function.path=/t/r.py`);
      expect(Object.hasOwn(defaults, path?.split("=")[0] ?? ""), version).toBe(true);
    }
    expect(of("dapoGrpo", "0.9.1").overrides).toContain("algorithm.filter_groups.metric=reward");
    // 0.9.0 looks for the metric in what the reward manager says beside the reward, and fails without it.
    expect(of("dapoGrpo", "0.9.0").overrides).toContain("algorithm.filter_groups.metric=acc");
    expect(of("dapoGrpo", "0.9.0").notes.map(({ path }) => path)).toContain("method.sampling.signal");
  });

  it("keep the checkpoints that a plan names", () => {
    const of = (execution: object) => argumentsOf(specOf(methodOf("grpo"), { execution }), "0.9.1");
    const count = (execution: object) => valueOf(of(execution).overrides, "trainer.max_actor_ckpt_to_keep");
    expect(count({ checkpointEvery: 5 })).toBe("2");
    expect(count({ checkpointEvery: 5, keep: [10, 15] })).toBe("3");
    expect(count({ checkpointEvery: 5, keep: { every: 5 } })).toBe("4");
    expect(of({ checkpointEvery: 5, keep: [10] }).notes.map(({ message }) => message)).toContain(
      "verl keeps its newest checkpoints: all from iteration 10 on, 3 at the end",
    );
    const problemsOf = (execution: object) => of(execution).problems.map(({ path, message }) => `${path}: ${message}`);
    expect(problemsOf({ checkpointEvery: 5, keep: [7, 10, 0] })).toEqual([
      "execution.keep[0]: is 7, must be a multiple of execution.checkpointEvery, 5",
      "execution.keep[2]: is 0, must be at least 5: the trainer saves no checkpoint before it trains",
    ]);
    expect(problemsOf({ checkpointEvery: 5, keep: { every: 7 } })).toEqual([
      "execution.keep.every: is 7, must be a multiple of execution.checkpointEvery, 5",
    ]);
  });

  it("note that rejections also remove tokens from verl's KL", () => {
    const kl = { update: { minibatchRows: 128, oldLogProbs: "trainer", klCoef: 0.01, klPlacement: "loss" } };
    const notes = (change: object) =>
      argumentsOf(specOf(methodOf("grpoSeqMis"), change), "0.9.1").notes.filter(({ message }) =>
        message.includes("verl's KL"),
      );
    expect(notes(kl).map(({ path }) => path)).toEqual(["method.correction.reject"]);
    expect(notes({ update: { ...kl.update, klCoef: 0 } })).toEqual([]);
  });

  it.each(versions)("%s: its losses and their own modes are the table's", (version, { policyLossAggregation }) => {
    const { losses, ownModes } = releaseOf(version).facts;
    for (const [loss, modes] of Object.entries(policyLossAggregation)) {
      // The bypass mode and the default loss are not in the list of losses; geometric means do not call the
      // aggregation.
      if (loss !== "vanilla" && loss !== "bypass_mode") expect(losses).toContain(loss);
      // The bypass mode passes the mode to the loss that it calls.
      const own =
        modes.includes("loss_agg_mode") || loss === "bypass_mode" ? undefined : (modes[0] ?? "seq-mean-token-mean");
      expect(ownModes[loss], loss).toBe(own);
    }
    expect(losses.filter((loss) => !Object.hasOwn(policyLossAggregation, loss))).toEqual([]);
  });

  it.each(versions)("%s: the aggregation in effect is the plan's, for every loss and aggregation", (version, facts) => {
    let numAccepted = 0;
    for (const name of methodNames) {
      for (const aggregation of aggregations) {
        const method: Method = { ...methodOf(name), aggregation };
        const spec = specOf(method, { update: { minibatchRows: 128, oldLogProbs: "trainer", klCoef: 0 } });
        const { overrides, problems } = argumentsOf(spec, version);
        if (problems.length > 0) continue;
        numAccepted += 1;
        const passed = valueOf(overrides, `${A}.loss_agg_mode`);
        expect(passed, `${name} ${aggregation}: always passed`).toBeDefined();
        const modes = facts.policyLossAggregation[lossOf(method.clipping) || "vanilla"] ?? [];
        const inEffect = modes.includes("loss_agg_mode") ? passed : (modes[0] ?? "seq-mean-token-mean");
        expect(inEffect, `${name} ${aggregation}`).toBe(modeOf[effectiveAggregation(method)]);
      }
    }
    expect(numAccepted).toBeGreaterThan(40);
  });

  it.each(versions)("%s: every key is there or added, every estimator is known", (version, facts) => {
    const keys = new Set(Object.keys(facts.defaults));
    const tally = { passed: 0, noted: 0, refused: 0 };
    for (const name of methodNames) {
      const { overrides, notes, problems } = argumentsOf(specOf(methodOf(name)), version);
      tally[
        problems.length > 0 ? "refused" : notes.some(({ path }) => path.startsWith("method")) ? "noted" : "passed"
      ] += 1;
      if (problems.length > 0) continue;
      for (const override of overrides) {
        const key = override.split("=", 1)[0] ?? "";
        expect(keys.has(key.replace(/^\+/, "")), `${name}: ${override}`).toBe(!key.startsWith("+"));
      }
      expect(facts.advantageEstimators).toContain(valueOf(overrides, "algorithm.adv_estimator"));
    }
    expect(tally).toEqual(tallies[version]);
  });

  it("takes the older trainer of 0.9 for what the default one loses, and its dynamic sampling", () => {
    const plain = { update: { minibatchRows: 128, oldLogProbs: "trainer", klCoef: 0 } };
    const trainerOf = (name: "remax" | "bypassPg" | "bypassGrpo" | "grpo", version: string) =>
      valueOf(argumentsOf(specOf(methodOf(name), plain), version).overrides, "trainer.use_v1");
    expect(trainerOf("remax", "0.9.1")).toBe("False");
    expect(trainerOf("bypassPg", "0.9.1")).toBe("False");
    expect(trainerOf("bypassGrpo", "0.9.1")).toBeUndefined();
    expect(trainerOf("grpo", "0.9.1")).toBeUndefined();
    expect(trainerOf("remax", "0.8.0")).toBeUndefined();
    const dapo = specOf(methodOf("dapoGrpo"), plain);
    expect(argumentsOf(dapo, "0.9.1").overrides).toContain("algorithm.filter_groups.enable=True");
    expect(argumentsOf(dapo, "0.8.0").problems[0]?.path).toBe("method.sampling.kind");
  });

  it("refuses dynamic sampling around the sampler only if a rejection needs the older trainer of 0.9", () => {
    const plain = { update: { minibatchRows: 128, oldLogProbs: "trainer", klCoef: 0 } };
    const { sampling } = methodOf("dapoGrpo");
    const reject = [{ kind: "token", statistic: "k3", low: null, high: 0.1 }] as const;
    const problemsOf = (correction: Partial<Correction>) => {
      const around = { ...noCorrection, proximal: "sampler", ...correction } as const;
      return argumentsOf(specOf({ ...methodOf("bypassGrpo"), sampling, correction: around }, plain), "0.9.1").problems;
    };
    expect(problemsOf({})).toEqual([]);
    const [problem] = problemsOf({ reject: [...reject] });
    expect(problem?.path).toBe("method.sampling.kind");
    expect(problem?.message).toContain("no policy gradient or rejections around the sampler");
  });

  it("names what is uncertain about a version that nobody tested or said", () => {
    const notesOf = (version: string | undefined) =>
      argumentsOf(specOf(methodOf("grpo")), version ?? "", { version })
        .notes.map(({ message }) => message)
        .join("\n");
    expect(notesOf(undefined)).toContain("the version of verl is not known");
    expect(notesOf("0.12.0")).toContain("verl 0.12.0 was not tested");
    expect(notesOf("0.8.3")).toContain("verl 0.8.3 was not tested: the command is for 0.8.0");
    expect(notesOf("0.8.0")).not.toContain("not tested");
  });
});

/**
 * A check in verl at a run's start or at the first affected row: its position in the code, and how a command satisfies
 * it.
 */
type Check = { says: string; file: string; code: string; isMet: (given: Command) => boolean };
type Command = { number: (key: string) => number; text: (key: string) => string | undefined; numGpus: number };

const rowsOf = ({ number }: Command): number => number("data.train_batch_size") * number("actor_rollout_ref.rollout.n");
const miniOf = ({ number }: Command): number =>
  number(`${A}.ppo_mini_batch_size`) * number("actor_rollout_ref.rollout.n");
const tokensOf = ({ number }: Command): number => number("data.max_prompt_length") + number("data.max_response_length");

/** Checks in 0.9.1 that depend on a plan's sizes. */
const checks: readonly Check[] = [
  {
    says: "all rows in equal shares of the GPUs",
    file: "utils/config.py",
    code: "real_train_batch_size % minimal_bsz == 0",
    isMet: (given) => rowsOf(given) % given.numGpus === 0,
  },
  {
    says: "minibatches of no more than all rows",
    file: "workers/config/actor.py",
    code: "train_batch_size < self.ppo_mini_batch_size",
    isMet: (given) => rowsOf(given) >= miniOf(given),
  },
  {
    says: "minibatches in equal shares of the GPUs",
    file: "workers/engine_workers.py",
    code: "mini_batch_size % self.engine.get_data_parallel_size() == 0",
    isMet: (given) => miniOf(given) > 0 && miniOf(given) % given.numGpus === 0,
  },
  {
    says: "no rows beside the minibatches",
    file: "workers/engine_workers.py",
    code: "total_num_iterations = data.shape[0] // mini_batch_size_per_gpu * epochs",
    isMet: (given) => rowsOf(given) % miniOf(given) === 0,
  },
  {
    says: "whole copies of the sampler's model",
    file: "workers/engine_workers.py",
    code: "assert self.world_size % infer_world_size == 0",
    isMet: ({ number, numGpus }) => numGpus % number("actor_rollout_ref.rollout.tensor_model_parallel_size") === 0,
  },
  {
    says: "room for the longest row of the policy",
    file: "utils/seqlen_balancing.py",
    code: "assert max_token_len >= max_seq_len",
    isMet: (given) => tokensOf(given) <= (given.number(`${A}.ppo_max_token_len_per_gpu`) || 16_384),
  },
  {
    says: "room for the longest row of the critic",
    file: "utils/seqlen_balancing.py",
    code: "assert max_token_len >= max_seq_len",
    isMet: (given) =>
      given.text("algorithm.adv_estimator") !== "gae" ||
      tokensOf(given) <= (given.number("critic.ppo_max_token_len_per_gpu") || 32_768),
  },
  {
    says: "sampled evaluations with a temperature",
    file: "utils/config.py",
    code: "config.actor_rollout_ref.rollout.temperature > 0",
    isMet: ({ number, text }) =>
      text("actor_rollout_ref.rollout.val_kwargs.do_sample") !== "True" ||
      number("actor_rollout_ref.rollout.temperature") > 0,
  },
  {
    says: "an aggregation that there is",
    file: "workers/config/actor.py",
    code: "self.loss_agg_mode not in valid_loss_agg_modes",
    isMet: ({ text }) => Object.values(modeOf).includes(text(`${A}.loss_agg_mode`) ?? "?"),
  },
  {
    says: "a metric by which groups are chosen",
    file: "trainer/ppo/v1/trainer_base.py",
    code: "if not filter_metric:",
    isMet: ({ text }) =>
      text("algorithm.filter_groups.enable") !== "True" || text("algorithm.filter_groups.metric") !== undefined,
  },
];

function violations(overrides: readonly string[], { numGpus }: { numGpus: number }): string[] {
  const text = (key: string) => valueOf(overrides, key);
  const given = { numGpus, text, number: (key: string) => Number(text(key) ?? 0) };
  return checks.filter(({ isMet }) => !isMet(given)).map(({ says }) => says);
}

/** Settings of a plan that its command must contain, by key; compared over 200 random plans. */
function planned({ rollout, update, optimizer, evaluation, budget, seed, method }: RunSpec): Record<string, unknown> {
  const { clipping } = method;
  const isClipped = clipping.kind === "sequence";
  return {
    "data.seed": seed,
    "data.max_response_length": rollout.maxResponseTokens,
    "actor_rollout_ref.rollout.temperature": rollout.temperature,
    "actor_rollout_ref.rollout.val_kwargs.temperature": evaluation.temperature,
    "trainer.test_freq": evaluation.every,
    "trainer.total_training_steps": budget.iterations,
    [`${A}.optim.lr`]: optimizer.learningRate,
    [`${A}.optim.weight_decay`]: optimizer.weightDecay,
    [`${A}.ppo_epochs`]: update.epochs,
    [`${A}.entropy_coeff`]: update.entropyCoef,
    ...(isClipped && { [`${A}.clip_ratio_low`]: clipping.low, [`${A}.clip_ratio_high`]: clipping.high }),
    ...(update.klCoef > 0 && update.klPlacement === "loss" && { [`${A}.kl_loss_coef`]: update.klCoef }),
    ...(update.klCoef > 0 && update.klPlacement === "reward" && { "algorithm.kl_ctrl.kl_coef": update.klCoef }),
  };
}

type Random = { spec: RunSpec; version: string; gpus: number; tensorParallel: number };

/** Realistic plans, with valid and invalid sizes. */
function randomPlans(count: number): Random[] {
  const rng = split(20261125, "random plans for verl");
  const one = <T>(values: readonly [T, ...T[]]): T => values[Math.floor(rng.next() * values.length)] ?? values[0];
  const [firstName = "grpo" as const, ...otherNames] = methodNames;
  // Half of the plans have a supported method, so that the outcome depends on their sizes.
  const [firstKnown = "grpo" as const, ...otherKnown] = methodNames.filter((name) =>
    verlReleases.some((release) => argumentsOf(specOf(methodOf(name)), release).problems.length === 0),
  );
  return Array.from({ length: count }, () => {
    const published = methodOf(one([one([firstName, ...otherNames]), one([firstKnown, ...otherKnown])]));
    const aggregation = one([published.aggregation, one([published.aggregation, one(aggregations)])]);
    const play = one([{}, {}, { agentLoop: "tool_agent", maxTurns: 4 }, { agentLoop: "tool_agent" }, { maxTurns: 4 }]);
    const spec = specOf(
      { ...published, aggregation },
      {
        environment: { id: "custom", title: "GSM8K", ...play },
        rollout: {
          numGroups: one([7, 20, 32, 64, 64, 128, 128, 512]),
          groupSize: one([1, 4, 5, 8, 8, 16]),
          maxResponseTokens: one([512, 1024, 4096, 20_000, 32_768]),
          temperature: one([0.7, 1]),
        },
        update: {
          minibatchRows: one([20, 64, 100, 128, 128, 256, 1280]),
          epochs: one([1, 2]),
          oldLogProbs: "trainer",
          klCoef: one([0, 0.001, 0.05]),
          klPlacement: one(["loss", "reward"]),
          entropyCoef: one([0, 0.001]),
        },
        optimizer: { learningRate: one([1e-6, 2e-6, 5e-7]), weightDecay: one([0, 0.1]) },
        evaluation: { every: one([1, 5]), temperature: one([0, 0.6, 1]) },
      },
    );
    return { spec, version: one(verlReleases), gpus: one([1, 4, 8]), tensorParallel: one([1, 1, 2]) };
  });
}

/** Returns the commands of a branch with changed settings, and of a run that starts from a policy. */
const begun = (version: string): string[][] =>
  (["branch", "start"] as const).map((kind) => {
    const path = `/runs/r/1/origin/${kind === "branch" ? "global_step_6" : "policy"}`;
    const spec = specOf(methodOf("gspo"), {
      optimizer: { learningRate: 2e-7 },
      update: { minibatchRows: 512, klCoef: 0.05, oldLogProbs: "trainer" },
    });
    const { overrides, problems } = argumentsOf(spec, version, {
      beginning: { kind, run: "first", iteration: 6, path },
    });
    expect(problems).toEqual([]);
    return overrides;
  });

describe.skipIf(!isThere)("branches and starts of each release (needs the reference folder)", () => {
  it.each(versions)("%s: every key is there, and what begins the run is passed", (version, { defaults }) => {
    const [branch = [], start = []] = begun(version);
    for (const override of [...branch, ...start]) {
      expect(Object.hasOwn(defaults, override.split("=", 1)[0] ?? ""), override).toBe(true);
    }
    expect(valueOf(branch, "trainer.resume_mode")).toBe("resume_path");
    expect(valueOf(branch, "trainer.resume_from_path")).toBe("/runs/r/1/origin/global_step_6");
    expect(valueOf(start, "actor_rollout_ref.model.path")).toBe("/runs/r/1/origin/policy");
    expect(valueOf(start, "trainer.resume_mode")).toBe("auto");
  });
});

/** Returns the command of a run that is also evaluated on two other data sets. */
function evaluatedElsewhere(version: string): string[] {
  const { overrides, problems } = argumentsOf(specOf(methodOf("grpo")), version, {
    task: { dataFolder: "/tasks/gsm8k", elsewhere: ["/tasks/math", "/tasks/AIME 24"], problems: [] },
  });
  expect(problems).toEqual([]);
  return overrides;
}

describe.skipIf(!isThere)("evaluations elsewhere of each release (needs the reference folder)", () => {
  it.each(versions)("%s: every key is there, and the validation files are a list", (version, { defaults }) => {
    const overrides = evaluatedElsewhere(version);
    for (const override of overrides)
      expect(Object.hasOwn(defaults, override.split("=", 1)[0] ?? ""), override).toBe(true);
    expect(valueOf(overrides, "data.val_files")).toBe(
      "[/tasks/gsm8k/test.parquet,/tasks/math/test.parquet,'/tasks/AIME 24/test.parquet']",
    );
  });
});

const random = randomPlans(200).map((plan) => ({
  ...plan,
  ...argumentsOf(plan.spec, plan.version, { gpus: plan.gpus, tensorParallel: plan.tensorParallel }),
}));
const composed = random.filter(({ problems }) => problems.length === 0);

describe("200 random plans", () => {
  it("meet verl's checks, or are refused at a field with what would work", () => {
    expect(composed.length).toBeGreaterThanOrEqual(40);
    for (const { overrides, gpus } of composed) expect(violations(overrides, { numGpus: gpus })).toEqual([]);
    for (const { problems } of random) {
      for (const { path, message } of problems) {
        expect(path).toMatch(/^(method|update|rollout|trainer|optimizer|evaluation|policy|environment)/);
        expect(message.length).toBeGreaterThan(20);
        if (path === "update.minibatchRows" || path === "rollout.numGroups") {
          expect(message).toMatch(/take \d+|no size fits/);
        }
      }
    }
  });
});

describe.skipIf(!isThere)("200 random plans and each release (needs the reference folder)", () => {
  it("say the plan's values under keys that the release has, with values of its types", () => {
    const tally = { composed: 0, refused: 0 };
    for (const { spec, version, overrides, problems } of random) {
      tally[problems.length === 0 ? "composed" : "refused"] += 1;
      if (problems.length > 0) continue;
      for (const [key, value] of Object.entries(planned(spec))) {
        expect(meaning(valueOf(overrides, key) ?? "absent"), `${spec.method.clipping.kind} ${key}`).toBe(
          meaning(value),
        );
      }
      const { defaults = {} } = releases[version] ?? {};
      for (const override of overrides) {
        const [name = "", value = ""] = override.split(/=(.*)/s, 2);
        const key = name.replace(/^\+/, "");
        expect(Object.hasOwn(defaults, key), override).toBe(!name.startsWith("+"));
        const usual = defaults[key];
        if (typeof usual === "boolean") expect(value, override).toMatch(/^(?:True|False)$/);
        // verl expects IcePop's two bounds in one text.
        const isPair = key.endsWith("rollout_is_threshold") && /^'[\d.e-]+_[\d.e-]+'$/.test(value);
        if (typeof usual === "number" && !isPair) expect(Number(value), override).not.toBeNaN();
      }
    }
    console.log(`200 random plans: ${tally.composed} composed, ${tally.refused} refused`);
  });
});

const python = process.env["ARLARENA_HYDRA_PYTHON"];
const trees = process.env["ARLARENA_VERL_TREES"];

describe.skipIf(!python || !trees)(
  "verl's own configuration (needs ARLARENA_HYDRA_PYTHON, a Python with hydra-core, and ARLARENA_VERL_TREES, unpacked releases)",
  () => {
    it("has the checks that plans are held to", () => {
      for (const { file: path, code } of checks) {
        const source = readFileSync(join(trees ?? "", "0.9.1/verl", path), "utf8");
        expect(source.includes(code), `${path}: ${code}`).toBe(true);
      }
    });

    it.each(versions)("%s: Hydra composes every command with the plan's values", (version) => {
      const named = methodNames.flatMap((name) => {
        const made = argumentsOf(specOf(methodOf(name)), version);
        return made.problems.length === 0 ? [made.overrides] : [];
      });
      const given = [
        ...begun(version),
        evaluatedElsewhere(version),
        ...named,
        ...composed.filter((plan) => plan.version === version).map(({ overrides }) => overrides),
      ];
      const program = [
        "import json, sys",
        "from hydra import compose, initialize_config_dir",
        "from omegaconf import OmegaConf",
        "out = []",
        `with initialize_config_dir(config_dir=${JSON.stringify(join(trees ?? "", version, "verl/trainer/config"))}, version_base=None):`,
        "    for overrides in json.load(sys.stdin):",
        "        cfg = compose(config_name='ppo_trainer', overrides=overrides)",
        "        keys = [o.lstrip('+').split('=', 1)[0] for o in overrides]",
        "        out.append({k: OmegaConf.to_container(v) if OmegaConf.is_config(v) else v for k in keys for v in [OmegaConf.select(cfg, k)]})",
        "print('RESULT' + json.dumps(out))",
      ].join("\n");
      const { status, stdout, stderr } = spawnSync(python ?? "", ["-c", program], {
        input: JSON.stringify(given),
        encoding: "utf8",
        maxBuffer: 1 << 28,
      });
      expect(status, stderr.slice(-3000)).toBe(0);
      const read = z
        .array(z.record(z.string(), z.unknown()))
        .parse(JSON.parse(stdout.slice(stdout.indexOf("RESULT") + 6)));
      expect(read).toHaveLength(given.length);
      for (const [i, overrides] of given.entries()) {
        for (const override of overrides) {
          const [key = "", value = ""] = override.replace(/^\+/, "").split(/=(.*)/s, 2);
          expect(meaning(read[i]?.[key]), override).toBe(meaning(value));
        }
      }
      console.log(`verl ${version}: ${given.length} commands composed`);
    });
  },
);

/** Returns a value as Hydra parses it: 1.0 is 1, True is true, quotes belong to the command line. */
function meaning(value: unknown): string {
  const text = typeof value === "string" ? value : JSON.stringify(value);
  const number = Number(text);
  if (text !== "" && Number.isFinite(number)) return String(number);
  return text.toLowerCase().replaceAll(/["'\s]/g, "");
}
