import { execFileSync } from "node:child_process";
import { readFile } from "node:fs/promises";
import { describe, expect, it } from "vitest";
import { expandPlan } from "#server/domain/plan/sweep/expand/expand.ts";
import { checkPlan, parsePlan } from "#server/domain/plan/sweep/plan.ts";
import { listTrainers, TrainersFile, makeTranslate } from "#packages/trainers";
import { previewCells, writeVariant } from "./previewCells.ts";
import { quoteArgument } from "#packages/base";

const { trainers } = TrainersFile.parse({
  trainers: {
    mine: {
      kind: "command",
      title: "My trainer",
      command: ["python3", "train.py", "--rate={optimizer.learningRate}", "--name={options.name}"],
      environment: { WHERE: "{folder}" },
      options: { name: { type: "text", default: "it's mine" } },
    },
    open: {
      kind: "trl",
      script: "grpo.py",
      arguments: ["--note=key-planted2"],
      environment: { WANDB_API_KEY: "key-planted2", HF_HOME: "/hub" },
      secrets: ["HF_TOKEN"],
    },
    verl: { kind: "verl", flavour: "verl", version: "0.9.1", gpus: 8, models: { default: "some/model" } },
    arlarena: { kind: "verl", models: { default: "some/model" } },
  },
});
const preview = (plan: object) =>
  previewCells(
    expandPlan(checkPlan({ name: "p", methods: ["grpo"], environments: [{ id: "alfworld" }], seeds: [0], ...plan }))
      .cells,
    makeTranslate(() => trainers),
  );
const by = (name: string) => ({ trainer: { name, options: {} } });

describe("previewCells", () => {
  it("shows the command as a shell needs it, with its variables", () => {
    expect(preview({ base: { ...by("mine"), optimizer: { learningRate: 1e-5 } } })).toMatchObject([
      {
        index: 0,
        trainer: "mine",
        command: `WHERE=RUN/1 python3 train.py --rate=0.00001 '--name=it'\\''s mine'`,
        problems: [],
      },
    ]);
  });

  it("shows what a trainer refuses at its field, and goes on with the other cells", () => {
    const base = { ...by("arlarena"), initialisation: { kind: "scratch" } };
    const [fine, refused] = preview({ methods: ["grpo", "drGrpo"], environments: [{ id: "sokoban" }], base });
    expect(fine).toMatchObject({ command: expect.stringContaining("adv_estimator=grpo"), problems: [] });
    expect(refused?.command).toBe("");
    expect(refused?.problems).toEqual([{ path: "method", message: expect.stringContaining('no estimator "drgrpo"') }]);
    expect(preview({ base: by("none") })).toMatchObject([
      { command: "", problems: [{ path: "trainer", message: expect.stringContaining('there is no trainer "none"') }] },
    ]);
  });

  it("shows no value of a secret that a template spells out, and says where it belongs", () => {
    const sizes = { optimizer: { learningRate: 1e-5 }, rollout: { maxResponseTokens: 512 } };
    const [cell] = preview({ base: { ...by("open"), ...sizes } });
    expect(JSON.stringify(cell)).not.toContain("planted");
    expect(cell?.command).toMatch(/^WANDB_API_KEY=\*\*\* HF_HOME=\/hub python3 grpo\.py .*'--note=\*\*\*'/);
    expect(cell?.notes.at(-1)).toBe(
      'the template "open" spells out WANDB_API_KEY under environment: write secrets: [WANDB_API_KEY] instead, and the values into secrets.env',
    );
  });

  it("says what to write in place of a method that is refused for its aggregation alone", () => {
    const [own] = preview({
      methods: ["sapo"],
      environments: [{ id: "custom", title: "GSM8K" }],
      base: {
        ...by("verl"),
        rollout: { numGroups: 64, groupSize: 8 },
        update: { minibatchRows: 128, klCoef: 0, oldLogProbs: "trainer" },
      },
    });
    const instead = { name: "SAPO by seqMeanTokenMean", from: "sapo", aggregation: "seqMeanTokenMean" } as const;
    expect(own?.problems.map(({ path }) => path)).toEqual(["method.aggregation"]);
    expect(own?.instead).toEqual(instead);
    expect(writeVariant(instead)).toBe("{ name: SAPO by seqMeanTokenMean, from: sapo, aggregation: seqMeanTokenMean }");
    const [accepted] = preview({
      methods: [instead],
      environments: [{ id: "custom", title: "GSM8K" }],
      base: {
        ...by("verl"),
        rollout: { numGroups: 64, groupSize: 8 },
        update: { minibatchRows: 128, klCoef: 0, oldLogProbs: "trainer" },
      },
    });
    expect(accepted?.problems).toEqual([]);
  });

  it("carries out prime-rl's two losses as the shipped plan writes them", async () => {
    const plan = parsePlan(await readFile("public/presets/prime-rl.yaml", "utf8"));
    const { trainers: known } = TrainersFile.parse({
      trainers: { "prime-rl": { kind: "primeRl", config: "rl.toml" } },
    });
    const cells = previewCells(
      expandPlan(plan).cells,
      makeTranslate(() => known),
    );
    expect(cells.map(({ problems }) => problems)).toEqual([[], []]);
    expect(cells.map(({ command }) => /trainer\.loss\.type (\w+)/.exec(command)?.[1])).toEqual(["default", "ipo"]);
  });

  it("has no command for the built-in trainer", () => {
    expect(preview({})).toMatchObject([{ trainer: undefined, command: "", problems: [] }]);
  });
});

describe("quoteArgument", () => {
  it.each(["plain", "a b", "it's", '"$HOME"', "`id`", "*", "", "-x", "ü\nnew", "a\\b", "[1,2]"])(
    "%j is read back by a shell",
    (text) => {
      expect(execFileSync("/bin/sh", ["-c", `printf %s ${quoteArgument(text)}`]).toString()).toBe(text);
    },
  );
});

describe("listTrainers", () => {
  it("offers names, titles and options, and keeps commands back", () => {
    expect(listTrainers(trainers)).toEqual([
      {
        name: "mine",
        title: "My trainer",
        kind: "command",
        options: { name: { type: "text", default: "it's mine" } },
        gpus: null,
      },
      { name: "open", title: "open", kind: "trl", options: {}, gpus: 1 },
      { name: "verl", title: "verl", kind: "verl", options: {}, gpus: 8 },
      { name: "arlarena", title: "arlarena", kind: "verl", options: {}, gpus: 4 },
    ]);
  });
});
