import { describe, expect, it } from "vitest";
import { conflictsOf } from "#trainer/spec/conflicts.ts";
import { methodOf } from "#trainer/spec/method.ts";
import { RunSpec } from "#trainer/spec/run.ts";
import { resolveTemplate } from "./resolveTemplate.ts";
import { TrainersFile } from "./template.ts";

const { trainers } = TrainersFile.parse({
  trainers: {
    verl: {
      kind: "verl",
      flavour: "verl",
      version: "0.9.1",
      models: { default: "/models/m" },
      gpus: 8,
      dataFolder: "/d",
    },
    arlarena: { kind: "verl", models: { default: "/models/m" } },
    trl: { kind: "trl", script: "grpo.py" },
    named: { kind: "trl", script: "grpo.py", modelArgument: "--model_name_or_path" },
    mine: { kind: "command", command: ["train"] },
    areal: { kind: "areal" },
  },
});
const place = { folder: "/runs/r/1", runFolder: "/runs/r", run: "r", attempt: 1, home: "/home/me" };

/** The origin has 64 rows per iteration, which are two steps in TRL. */
const origin = (name: string, change: object = {}) =>
  RunSpec.parse({
    v: 1,
    seed: 7,
    environment: { id: name === "arlarena" ? "alfworld" : "custom", ...(name !== "arlarena" && { title: "T" }) },
    method: methodOf("grpo"),
    trainer: { name, options: {} },
    rollout: { numGroups: 64, groupSize: 8, maxResponseTokens: 512 },
    update: { minibatchRows: 256, oldLogProbs: "trainer" },
    reward: { overlongPenalty: 0 },
    budget: { iterations: 20 },
    ...change,
  });

type Change = { kind?: "branch" | "run"; iteration?: number; seed?: number; from?: RunSpec; reference?: "origin" };
function begin(name: string, given: Change = {}, change: object = {}) {
  const { kind = "branch", iteration = 6, seed = 0, from, ...rest } = given;
  const spec = from ?? origin(name);
  const initialisation = { kind, run: "first-c0-s7", iteration, origin: spec, ...rest };
  const parsed = RunSpec.parse({ ...spec, seed, initialisation, ...change });
  expect(conflictsOf(parsed)).toEqual([]);
  return resolveTemplate(trainers, parsed, place);
}
const textOf = (argv: readonly string[]) => argv.join(" ");

describe("a branch of another trainer's run", () => {
  it.each(["verl", "arlarena"])("resumes %s from the checkpoint of its step, without a second evaluation", (name) => {
    const { argv, begins } = begin(name, {}, { optimizer: { learningRate: 2e-7 } });
    expect(argv).toContain("trainer.resume_mode=resume_path");
    expect(argv).toContain("trainer.resume_from_path=/runs/r/1/origin/global_step_6");
    expect(argv).toContain("trainer.val_before_train=False");
    expect(argv).toContain("trainer.total_training_steps=20");
    expect(argv).toContain("actor_rollout_ref.actor.optim.lr=2e-7");
    expect(begins).toEqual({
      kind: "branch",
      run: "first-c0-s7",
      iteration: 6,
      continuation: 0,
      path: "/runs/r/1/origin/global_step_6",
      python: ["python3"],
    });
    const notes = begin(name).notes.filter((note) => note.startsWith("initialisation"));
    expect(notes).toEqual([]);
  });

  it("resumes TRL from a step of its charts, with the origin's iterations counted as the origin counted them", () => {
    const same = textOf(begin("trl", { iteration: 12 }).argv);
    expect(same).toContain("--resume_from_checkpoint /runs/r/1/origin/checkpoint-12");
    expect(same).toContain("--max_steps 40");
    expect(same).toContain("--eval_on_start False");
    // Twelve steps are six iterations; the remaining fourteen iterations have one step each.
    const larger = { update: { ...origin("trl").update, minibatchRows: 512 } };
    expect(textOf(begin("trl", { iteration: 12 }, larger).argv)).toContain("--max_steps 26");
  });

  it("draws as its origin in continuation 0, and anew in others", () => {
    const seedOf = (name: string, seed: number) =>
      /(?:--seed |data\.seed=)(\d+)/.exec(textOf(begin(name, { seed }).argv))?.[1];
    for (const name of ["trl", "verl"]) {
      expect(seedOf(name, 0)).toBe("7");
      expect(new Set([0, 1, 2].map((seed) => seedOf(name, seed))).size).toBe(3);
      expect(seedOf(name, 1)).toBe(seedOf("trl", 1));
    }
  });

  it.each([
    [
      "trl",
      { iteration: 7 },
      {},
      "initialisation.iteration: 7 is refused: it is within an iteration of first-c0-s7; take 6",
    ],
    [
      "trl",
      { iteration: 40 },
      {},
      "budget.iterations: the branch ends at iteration 20, must end after iteration 20 (step 40): its origin's iterations count as well",
    ],
    [
      "verl",
      { iteration: 20 },
      {},
      "budget.iterations: the branch ends at iteration 20, must end after iteration 20: its origin's iterations count as well",
    ],
    ["verl", { iteration: 0 }, {}, "initialisation.iteration: 0 is refused: no checkpoint is before the first step"],
    [
      "trl",
      { kind: "run" },
      {},
      'initialisation.kind: "run" is refused: the script chooses the model; name its argument',
    ],
    [
      "verl",
      { kind: "run", reference: "origin" },
      {},
      "initialisation.reference: origin is refused: the reference of this trainer is the model that the run starts with",
    ],
    ["mine", {}, {}, 'initialisation.kind: "branch" is refused: runs begin from runs of verl, ARLArena or TRL alone'],
    ["areal", {}, {}, 'initialisation.kind: "branch" is refused: runs begin from'],
  ] as const)("of %s is refused where it cannot be: %j", (name, from, change, message) => {
    expect(() => begin(name, from, change)).toThrow(message);
  });

  it("keeps its trainer and its model", () => {
    const initialisation = { kind: "branch", run: "first", iteration: 6, origin: origin("verl") };
    const conflicts = (change: object) => conflictsOf(RunSpec.parse({ ...origin("verl"), initialisation, ...change }));
    expect(conflicts({ trainer: { name: "trl", options: {} } })).toEqual([
      { path: "trainer.name", message: 'is "trl", but first was trained by "verl"; set it to "verl"' },
    ]);
    expect(conflicts({ policy: { pretrained: "/models/other" } })[0]?.path).toBe("policy.pretrained");
  });
});

describe("a start from another trainer's policy", () => {
  it("names the policy's folder as the model, and counts from the first iteration", () => {
    const verl = begin("verl", { kind: "run", seed: 3 }).argv;
    expect(verl).toContain("actor_rollout_ref.model.path=/runs/r/1/origin/policy");
    expect(verl).toContain("trainer.resume_mode=auto");
    expect(verl).toContain("trainer.val_before_train=True");
    expect(verl).toContain("data.seed=3");
    const trl = textOf(begin("named", { kind: "run" }).argv);
    expect(trl).toContain("--model_name_or_path /runs/r/1/origin/policy");
    expect(trl).not.toContain("resume_from_checkpoint");
  });
});
