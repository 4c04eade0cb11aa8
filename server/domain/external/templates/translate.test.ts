import { describe, expect, it } from "vitest";
import { expandPlan } from "#server/domain/sweep/expand.ts";
import { checkPlan } from "#server/domain/sweep/plan.ts";
import { AppError, type InputIssue } from "#server/domain/errors.ts";
import { TrainersFile } from "./template.ts";
import { makeTranslate } from "./translate.ts";

const { trainers } = TrainersFile.parse({
  trainers: {
    verl: { kind: "verl" },
    agent: { kind: "verl", flavour: "verlAgent" },
    fixed: { kind: "verl", overrides: ["+actor_rollout_ref.actor.optim.lr=1e-5"] },
    fixedTrl: { kind: "trl", script: "grpo.py", arguments: ["--learning-rate=1e-5", "--bf16"] },
    trl: { kind: "trl", script: "grpo.py" },
    mine: { kind: "command", command: ["train", "--rate={optimizer.learningRate}"] },
  },
});

const planOf = (trainer: string, change: object) =>
  checkPlan({
    name: "p",
    methods: ["grpo"],
    environments: [{ id: "alfworld" }],
    base: { trainer: { name: trainer } },
    seeds: [0],
    ...change,
  });

/** What is wrong with a plan of ALFWorld runs at its launch. */
function issuesOf(trainer: string, change: object): readonly InputIssue[] {
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
    expect(issuesOf("trl", { base: { trainer: { name: "trl" }, update: { minibatchRows: 100 } } })).toEqual([
      at("base.update.minibatchRows", "100 does not divide the 128 rows of an iteration"),
    ]);
    expect(issuesOf("agent", { methods: ["grpo", "gmpo"] })).toContainEqual(
      at("methods[1]", "there is no loss for geometricMean clipping in verl-agent"),
    );
    expect(issuesOf("other", {})).toEqual([at("base.trainer", 'there is no trainer "other"')]);
  });

  it("is refused where two cells would be the same run", () => {
    expect(issuesOf("mine", { axes: { "update.epochs": [1, 2] } })).toEqual([
      at(
        "base.trainer",
        'two cells get one command from the trainer "mine": it does not carry update.epochs (1 and 2)',
      ),
    ]);
    expect(issuesOf("trl", { axes: { "reward.turnPenalty": [0, 0.1] } })).toEqual([
      at("base.trainer", "it does not carry reward.turnPenalty (0 and 0.1)"),
    ]);
    expect(issuesOf("mine", { axes: { "optimizer.learningRate": [1e-4, 1e-3] } })).toEqual([]);
  });

  it("is refused where its template has the last word on what two cells differ in, which is noted elsewhere", () => {
    for (const name of ["fixed", "fixedTrl"]) {
      expect(issuesOf(name, { axes: { "optimizer.learningRate": [1e-4, 1e-3] } })).toEqual([
        at("base.trainer", "it does not carry optimizer.learningRate (0.0001 and 0.001)"),
      ]);
      const { cells } = expandPlan(planOf(name, {}));
      const translation = cells[0] && makeTranslate(() => trainers)(cells[0].spec);
      expect(translation).toMatchObject({
        notes: expect.arrayContaining([expect.stringContaining("which replaces the plan's")]),
      });
    }
  });
});
