import { describe, expect, it } from "vitest";
import { expandPlan } from "#server/domain/plan/sweep/expand/expand.ts";
import { checkPlan } from "#server/domain/plan/sweep/plan.ts";
import { AppError, type InputIssue } from "#packages/base";
import { TrainersFile } from "#packages/trainers/commands/template.ts";
import { makeTranslate } from "#packages/trainers/commands/translate.ts";

const { trainers } = TrainersFile.parse({
  trainers: {
    verl: { kind: "verl" },
    eight: { kind: "verl", gpus: 8 },
    agent: { kind: "verl", flavour: "verlAgent" },
    fixed: { kind: "verl", overrides: ["+actor_rollout_ref.actor.optim.lr=1e-5"] },
    fixedTrl: { kind: "trl", script: "grpo.py", arguments: ["--learning-rate=1e-5", "--bf16"] },
    trl: { kind: "trl", script: "grpo.py" },
    mine: { kind: "command", command: ["train", "--rate={optimizer.learningRate}"] },
  },
});

/** Settings that a plan must state for a trainer of larger models. */
const sized = { optimizer: { learningRate: 1e-6 }, rollout: { maxResponseTokens: 512 } };

const planOf = (trainer: string, { base = {}, ...change }: { base?: object; [name: string]: unknown }) =>
  checkPlan({
    name: "p",
    methods: ["grpo"],
    environments: [{ id: "alfworld" }],
    base: { trainer: { name: trainer }, ...sized, ...base },
    seeds: [0],
    ...change,
  });

/** Issues reported when a plan of ALFWorld runs is launched. */
function issuesOf(trainer: string, change: Parameters<typeof planOf>[1]): readonly InputIssue[] {
  try {
    expandPlan(
      planOf(trainer, change),
      makeTranslate(() => trainers),
    );
    return [];
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    return error.issues;
  }
}

const at = (path: string, text: string): unknown =>
  expect.objectContaining({ path, message: expect.stringContaining(text) });

describe("a plan for another trainer", () => {
  it("is launched where every setting is passed or noted", () => {
    for (const name of ["verl", "trl", "mine"]) expect(issuesOf(name, {})).toEqual([]);
  });

  it("is refused at the field whose value the trainer does not have", () => {
    expect(issuesOf("verl", { axes: { "optimizer.beta2": [0.999, 0.95] } })).toEqual([
      at(
        "axes.optimizer.beta2",
        "0.95 is refused: its configuration has no field for AdamW's β₂, which is 0.999 (GRPO)",
      ),
    ]);
    expect(issuesOf("trl", { base: { update: { minibatchRows: 100 } } })).toEqual([
      at("base.update.minibatchRows", "100 does not divide the 128 rows of an iteration"),
    ]);
    expect(issuesOf("agent", { methods: ["grpo", "gmpo"] })).toContainEqual(
      at("methods[1]", "there is no loss for geometricMean clipping in verl-agent"),
    );
    expect(issuesOf("other", {})).toEqual([at("base.trainer", 'there is no trainer "other"')]);
  });

  it("names what would else be the default of a small model, and is told which other defaults act", () => {
    const unsized = { base: { optimizer: undefined, rollout: undefined } };
    const asked = [
      at("base.optimizer.learningRate", "needs a value: the studio's default 0.0003 is for its small models"),
      at("base.rollout.maxResponseTokens", "needs a value: the studio's default 16"),
    ];
    for (const name of ["verl", "trl"]) expect(issuesOf(name, unsized)).toEqual(asked);
    expect(issuesOf("trl", { ...unsized, axes: { "optimizer.learningRate": [1e-6, 2e-6] } })).toEqual(asked.slice(1));
    const perEnvironment = { environments: [{ id: "alfworld", base: sized }], ...unsized };
    expect(issuesOf("verl", perEnvironment)).toEqual([]);
    // An administrator's own program receives only the settings in its command template.
    expect(issuesOf("mine", unsized)).toEqual([]);
    const defaultsOf = (name: string) =>
      expandPlan(
        planOf(name, {}),
        makeTranslate(() => trainers),
      ).notes.find(({ kind }) => kind === "defaults")?.text;
    expect(defaultsOf("verl")).toContain("update.klCoef 0.01");
    expect(defaultsOf("verl")).not.toContain("learningRate");
    // A command that does not contain these settings does not depend on their defaults.
    expect(defaultsOf("verl")).not.toContain("execution.memoryLimitMb");
    expect(defaultsOf("mine")).not.toContain("update.klCoef");
  });

  it("is refused where two cells would be the same run", () => {
    expect(issuesOf("mine", { axes: { "update.epochs": [1, 2] } })).toEqual([
      at(
        "base.trainer",
        'two cells give the same command of the trainer "mine", which has no setting for update.epochs (1 and 2)',
      ),
    ]);
    expect(issuesOf("trl", { axes: { "reward.turnPenalty": [0, 0.1] } })).toEqual([
      at("base.trainer", "which has no setting for reward.turnPenalty (0 and 0.1)"),
    ]);
    expect(issuesOf("mine", { axes: { "optimizer.learningRate": [1e-4, 1e-3] } })).toEqual([]);
  });

  it("is refused where its template has the last word on what two cells differ in, which is noted elsewhere", () => {
    for (const name of ["fixed", "fixedTrl"]) {
      expect(issuesOf(name, { axes: { "optimizer.learningRate": [1e-4, 1e-3] } })).toEqual([
        at("base.trainer", "which has no setting for optimizer.learningRate (0.0001 and 0.001)"),
      ]);
      const { cells } = expandPlan(planOf(name, {}));
      const translation = cells[0] && makeTranslate(() => trainers)(cells[0].spec);
      expect(translation).toMatchObject({
        notes: expect.arrayContaining([expect.stringContaining("which replaces the plan's")]),
      });
    }
  });
});

describe("the GPUs of a template", () => {
  const expand = (trainer: string, placement?: object) =>
    expandPlan(
      planOf(trainer, { base: { update: { minibatchRows: 256 } }, ...(placement && { placement }) }),
      makeTranslate(() => trainers),
    );

  it("are reserved for each run of a plan", () => {
    expect(expand("eight").gpusPerRun).toBe(8);
    expect(expand("trl").gpusPerRun).toBe(1);
    expect(expand("mine").gpusPerRun).toBeUndefined();
  });

  it("are refused beside another number of slots, at that field", () => {
    const path = "placement.slots";
    expect(issuesOf("eight", { base: { update: { minibatchRows: 256 } }, placement: { slots: 4 } })).toEqual([
      {
        path,
        message: 'is 4, but the trainer "eight" takes gpus: 8. Remove slots: 8 GPUs are reserved automatically',
      },
    ]);
    expect(expand("eight", { slots: 8 }).gpusPerRun).toBe(8);
    expect(expand("eight", { labels: ["a100"] }).gpusPerRun).toBe(8);
  });
});
