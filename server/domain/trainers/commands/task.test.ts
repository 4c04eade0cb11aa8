import { describe, expect, it } from "vitest";
import { methodOf } from "#trainer/spec/method.ts";
import { CellSpec, RunSpec } from "#trainer/spec/run.ts";
import { conflictsOf } from "#trainer/spec/conflicts.ts";
import { AppError } from "#packages/base";
import { expandPlan } from "#server/domain/plan/sweep/expand/expand.ts";
import { labelEnvironments } from "#server/domain/plan/sweep/labels/labels.ts";
import { placeCells } from "#server/domain/publish/tables/builder/rows.ts";
import { parsePlan } from "#server/domain/plan/sweep/plan.ts";
import { resolveTemplate } from "#packages/trainers/commands/resolveTemplate.ts";
import { TrainersFile } from "#packages/trainers/commands/template.ts";
import { makeTranslate } from "#packages/trainers/commands/translate.ts";

const paths = { folder: "/r/1", runFolder: "/r", run: "r", attempt: 1, home: "/home/me" };
const { trainers } = TrainersFile.parse({
  trainers: {
    verl: {
      kind: "verl",
      flavour: "verl",
      version: "0.9.1",
      gpus: 8,
      models: { GSM8K: "Q" },
      taskFolder: "{home}/tasks",
    },
    closed: { kind: "verl", flavour: "verl", version: "0.9.1", gpus: 8, models: { default: "Q" } },
    arlarena: { kind: "verl", gpus: 8, models: { default: "Q" }, taskFolder: "/home/me/tasks" },
    agents: { kind: "verl", flavour: "verlAgent", gpus: 8, models: { default: "Q" }, taskFolder: "/home/me/tasks" },
    trl: { kind: "trl", script: "grpo.py", taskFolder: "/home/me/tasks" },
    areal: { kind: "areal", taskFolder: "/home/me/tasks" },
    prime: { kind: "primeRl", config: "rl.toml", taskFolder: "/home/me/tasks" },
    mine: {
      kind: "command",
      command: ["train", "{environment.title}", ["--data", "{environment.dataFolder}"]],
      taskFolder: "/home/me/tasks",
    },
  },
});

const gsm8k = {
  id: "custom",
  title: "GSM8K",
  dataFolder: "gsm8k",
  rewardFunction: "rewards/gsm8k.py:compute_score",
  metrics: { success: "val-core/gsm8k/acc/mean@1", trainingSuccess: "critic/score/mean" },
};

/** The run's own task, which repeats its own evaluation when listed among the other tasks. */
const own = { environment: gsm8k };

function specOf(name: string, change: object = {}, rest: object = {}): RunSpec {
  return RunSpec.parse({
    v: 1,
    seed: 3,
    trainer: { name, options: {} },
    environment: { ...gsm8k, ...change },
    method: methodOf("grpo"),
    rollout: { numGroups: 64, groupSize: 8, maxResponseTokens: 1024 },
    update: { minibatchRows: 128, oldLogProbs: "trainer", klCoef: 0 },
    optimizer: { learningRate: 1e-6 },
    ...rest,
  });
}

const resolve = (name: string, change: object = {}, rest: object = {}) =>
  resolveTemplate(trainers, specOf(name, change, rest), paths);

function problemsOf(name: string, change: object = {}, rest: object = {}): Record<string, string> {
  try {
    resolve(name, change, rest);
    return {};
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    return Object.fromEntries(error.issues.map(({ path, message }) => [path, message]));
  }
}

describe("a task of the plan's own", () => {
  it("gives verl its data, its reward function and one response an episode", () => {
    const { argv, names, notes } = resolve("verl");
    expect(argv).toEqual(
      expect.arrayContaining([
        "data.train_files=/home/me/tasks/gsm8k/train.parquet",
        "data.val_files=/home/me/tasks/gsm8k/test.parquet",
        "reward.custom_reward_function.path=/home/me/tasks/rewards/gsm8k.py",
        "reward.custom_reward_function.name=compute_score",
        "actor_rollout_ref.rollout.multi_turn.enable=False",
        "actor_rollout_ref.rollout.agent.default_agent_loop=single_turn_agent",
        "actor_rollout_ref.model.path=Q",
      ]),
    );
    expect(argv.join(" ")).not.toContain("max_assistant_turns");
    expect(names).toEqual({
      "val-core/gsm8k/acc/mean@1": "evaluation/successRate",
      "critic/score/mean": "rollout/successRate",
    });
    expect(notes.join("\n")).not.toContain("environment.");
  });

  it("gives verl a loop where the task names one, and refuses turns without it", () => {
    expect(resolve("verl", { agentLoop: "tool_agent", maxTurns: 4 }).argv).toEqual(
      expect.arrayContaining([
        "actor_rollout_ref.rollout.multi_turn.enable=True",
        "actor_rollout_ref.rollout.multi_turn.max_assistant_turns=4",
        "actor_rollout_ref.rollout.agent.default_agent_loop=tool_agent",
      ]),
    );
    expect(problemsOf("verl", { maxTurns: 4 })["environment.maxTurns"]).toContain("name one, as tool_agent");
  });

  it("gives ARLArena's mathematics its data and reward function", () => {
    expect(resolve("arlarena", { maxTurns: 3 }).argv).toEqual(
      expect.arrayContaining([
        "data.train_files=/home/me/tasks/gsm8k/train.parquet",
        "+custom_reward_function.path=/home/me/tasks/rewards/gsm8k.py",
        "agent.max_turns=3",
      ]),
    );
    expect(problemsOf("arlarena", { agentLoop: "tool_agent" })).toHaveProperty("environment.agentLoop");
  });

  it("gives TRL a data set and a function of a module that its Python finds", () => {
    const { argv, environment } = resolve("trl");
    expect(argv.join(" ")).toContain("--dataset_name /home/me/tasks/gsm8k --reward_funcs gsm8k.compute_score");
    expect(environment["PYTHONPATH"]).toBe("/home/me/tasks/rewards");
    expect(resolve("trl", { rewardFunction: "accuracy_reward" }).argv.join(" ")).toContain(
      "--reward_funcs accuracy_reward",
    );
  });

  it("gives AReaL its data alone, prime-rl nothing, and a program what it asks for", () => {
    const plain = { rewardFunction: undefined };
    expect(resolve("areal", plain).argv).toContain("++train_dataset.path=/home/me/tasks/gsm8k");
    expect(problemsOf("areal")).toHaveProperty("environment.rewardFunction");
    expect(Object.keys(problemsOf("prime"))).toEqual(
      expect.arrayContaining(["environment.dataFolder", "environment.rewardFunction"]),
    );
    expect(resolve("mine").argv).toEqual(["train", "GSM8K", "--data", "/home/me/tasks/gsm8k"]);
  });

  it("is refused where a trainer has no such recipe, and by the built-in trainer", () => {
    expect(problemsOf("agents")["environment.id"]).toContain("no recipe for custom");
    const { trainer: _, v: _v, seed: _seed, ...cell } = specOf("verl");
    expect(conflictsOf(CellSpec.parse(cell)).map(({ path }) => path)).toContain("environment.id");
  });

  it("reads and runs nothing outside the folder that the administrator allows", () => {
    expect(problemsOf("closed")["environment.rewardFunction"]).toContain("no taskFolder");
    for (const path of ["/etc", "../secret", "a/../../b", "/home/me/tasks/../x", "/home/me/tasksX"]) {
      expect(problemsOf("verl", { dataFolder: path })["environment.dataFolder"], path).toContain("not below");
    }
    expect(problemsOf("verl", { rewardFunction: "/tmp/x.py:f" })).toHaveProperty("environment.rewardFunction");
    expect(problemsOf("verl", { rewardFunction: "os.system" })).toHaveProperty("environment.rewardFunction");
    expect(problemsOf("verl", { rewardFunction: "accuracy_reward" })["environment.rewardFunction"]).toContain(
      "FILE.py:FUNCTION",
    );
  });

  it("is evaluated elsewhere through further validation files, whose metrics have names of their own", () => {
    const math = {
      id: "custom",
      title: "MATH 500",
      dataFolder: "math",
      metrics: { success: "val-core/math/acc/mean@1" },
    };
    const aime = {
      id: "custom",
      title: "AIME",
      metrics: { success: "val-core/aime/acc/mean@1", score: "val-aux/aime" },
    };
    const evaluation = { elsewhere: [{ environment: math }, { name: "aime", environment: aime, every: 3 }, own] };
    const { argv, names, notes } = resolve("verl", {}, { evaluation });
    expect(argv).toContain("data.val_files=[/home/me/tasks/gsm8k/test.parquet,/home/me/tasks/math/test.parquet]");
    expect(names).toEqual({
      "val-core/gsm8k/acc/mean@1": "evaluation/successRate",
      "critic/score/mean": "rollout/successRate",
      "val-core/math/acc/mean@1": "evaluation/elsewhere/MATH-500/successRate",
      "val-core/aime/acc/mean@1": "evaluation/elsewhere/aime/successRate",
      "val-aux/aime": "evaluation/elsewhere/aime/score",
    });
    expect(notes.join("\n")).toContain("evaluation.elsewhere[1].every: 3 is not passed");
    const alone = { elsewhere: [{ environment: math, numEpisodes: 64 }] };
    expect(resolve("arlarena", { maxTurns: 1 }, { evaluation: { ...alone, numEpisodes: 64 } }).argv).toEqual(
      expect.arrayContaining([
        "data.val_files=[/home/me/tasks/gsm8k/test.parquet,/home/me/tasks/math/test.parquet]",
        "data.val_sample_size=64",
      ]),
    );
    const [at, numEpisodes] = ["evaluation.elsewhere[0].environment", "evaluation.elsewhere[0].numEpisodes"];
    expect(problemsOf("verl", {}, { evaluation: alone })[numEpisodes]).toContain("every task of test.parquet");
    expect(problemsOf("arlarena", {}, { evaluation: alone })[numEpisodes]).toContain("that of every file, 128");
    const refused = (name: string, change: object) =>
      problemsOf(name, {}, { evaluation: { elsewhere: [{ environment: { ...math, ...change } }] } });
    expect(refused("verl", { dataFolder: "../math" })[`${at}.dataFolder`]).toContain("not below");
    expect(refused("verl", { metrics: undefined })[`${at}.metrics`]).toContain("val-core/SOURCE/acc/mean@1");
    expect(refused("verl", { metrics: { success: gsm8k.metrics.success } })[`${at}.metrics`]).toContain("another task");
    expect(refused("verl", { maxTurns: 4 })[`${at}.maxTurns`]).toContain("write 1");
    expect(refused("verl", { rewardFunction: "r.py:f" })[`${at}.rewardFunction`]).toContain("one for all data");
  });

  it("is read elsewhere where the trainer evaluates in it anyway, and its files are refused there", () => {
    const nq = { id: "custom", title: "NQ", metrics: { success: "val/nq_success_rate" } };
    const agents = {
      environment: { id: "alfworld" },
      update: { minibatchRows: 256 },
      rollout: { numGroups: 16, groupSize: 8, maxResponseTokens: 256 },
    };
    const elsewhere = (environment: object, name = "arlarena") =>
      problemsOf(name, {}, { ...agents, evaluation: { elsewhere: [{ environment }] } });
    const at = "evaluation.elsewhere[0].environment";
    expect(elsewhere(nq)).toEqual({});
    expect(elsewhere({ ...nq, dataFolder: "nq" })[`${at}.dataFolder`]).toContain("leave dataFolder out");
    const instead = "start a run there from this one's policy (initialisation.kind: run)";
    expect(elsewhere({ id: "sokoban" })[`${at}.id`]).toContain(instead);
    const [set, metrics] = [{ ...nq, dataFolder: "nq" }, { success: "eval_rewards/nq/mean" }];
    for (const name of ["trl", "areal", "mine"]) {
      const rest = { rewardFunction: undefined };
      const problems = problemsOf(name, rest, { evaluation: { elsewhere: [{ environment: set }] } });
      expect(problems[`${at}.dataFolder`], name).toContain("leave dataFolder out");
      const evaluation = { elsewhere: [{ environment: { ...nq, metrics } }] };
      expect(resolve(name, rest, { evaluation }).names).toMatchObject({
        "eval_rewards/nq/mean": "evaluation/elsewhere/NQ/successRate",
      });
    }
    const {
      trainer: _,
      v: _v,
      seed: _seed,
      ...cell
    } = specOf("verl", {}, { evaluation: { elsewhere: [{ environment: nq }] } });
    expect(conflictsOf(CellSpec.parse(cell)).map(({ path }) => path)).toContain(`${at}.id`);
  });

  it("has a title that no environment of the studio has, and texts that are no options", () => {
    for (const title of ["tirMath", "Sokoban", "alfworld", "-x", "", "a\nb"]) {
      expect(RunSpec.safeParse({ ...specOf("verl"), environment: { ...gsm8k, title } }).success, title).toBe(false);
    }
    for (const dataFolder of ["--help", "a${oc.env:HOME}", "a\nb"]) {
      expect(RunSpec.safeParse({ ...specOf("verl"), environment: { ...gsm8k, dataFolder } }).success).toBe(false);
    }
  });

  it("is called by its title, and two tasks are two environments", () => {
    const plan = parsePlan(`
name: Two tasks
methods: [grpo]
environments:
  - { id: custom, title: GSM8K, dataFolder: gsm8k }
  - { id: custom, title: MATH, dataFolder: math }
base:
  trainer: { name: closed, options: {} }
  rollout: { numGroups: 64, groupSize: 8, maxResponseTokens: 512 }
  update: { minibatchRows: 128, oldLogProbs: trainer }
  optimizer: { learningRate: 1.0e-6 }
seeds: [0]
`);
    const { cells } = expandPlan(plan);
    expect(cells.map(({ label }) => label)).toEqual(["GSM8K", "MATH"]);
    expect(labelEnvironments(cells.map(({ spec }) => spec.environment))).toEqual(["GSM8K", "MATH"]);
    const rows = cells.map((cell) => ({ ...cell, sweepId: "s" }));
    expect(placeCells({ cells: rows, runs: [] }).map(({ environment, axes }) => [environment, axes])).toEqual([
      ["GSM8K", ""],
      ["MATH", ""],
    ]);
    expect(() =>
      expandPlan(
        plan,
        makeTranslate(() => trainers),
      ),
    ).toThrow(/taskFolder/);
  });
});
