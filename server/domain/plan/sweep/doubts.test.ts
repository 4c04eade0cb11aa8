import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { makeTranslate, TrainersFile } from "#packages/trainers";
import { previewCells } from "#server/domain/trainers/previewCells.ts";
import { loadPython } from "#trainer/python/loadPython.ts";
import { makeTaskFamily } from "#trainer/environments/episode.ts";
import { BuiltInEnvironment } from "#trainer/spec/environment.ts";
import { expertTokens } from "#trainer/spec/rowTokens.ts";
import { listDoubts } from "./doubts.ts";
import { expandPlan } from "./expand/expand.ts";
import { parsePlan, SweepPlan } from "./plan.ts";

const planOf = (plan: Record<string, unknown>) =>
  SweepPlan.parse({ v: 1, name: "x", methods: ["grpo"], environments: [{ id: "sokoban" }], seeds: [0], ...plan });
const doubts = (plan: SweepPlan) => listDoubts({ ...plan, cells: expandPlan(plan).cells });
const asked = (plan: Record<string, unknown>) =>
  doubts(planOf(plan)).flatMap(({ text, isAsked }) => (isAsked ? [text] : []));
const base = (settings: Record<string, unknown>) => ({ base: settings });

const textworld = [{ id: "textworld" }];
const oneUpdate = { rollout: { numGroups: 4, groupSize: 4 }, update: { minibatchRows: 16 } };
const custom = [{ id: "custom", title: "GSM8K" }];
const responses = (tokens: number) => base({ rollout: { maxResponseTokens: tokens }, update: { minibatchRows: 64 } });
const cold = (iterations: number) => ({
  methods: [
    { name: "D", from: "dapoGrpo", sampling: { kind: "dynamic", maxTries: 3, coldStartIterations: iterations } },
  ],
});

/** Plans with a planted mistake: what is wrong, the plan, and words of the warning, which names the remedy. */
const mistakes: [string, Record<string, unknown>, string][] = [
  ["no learning rate", base({ optimizer: { learningRate: 0 } }), "Every configuration has learning rate 0"],
  ["one of two", { axes: { "optimizer.learningRate": [0, 1e-4] } }, "1 of 2 configurations has learning rate 0"],
  ["no iterations", base({ budget: { iterations: 0 } }), "raise budget.iterations"],
  ["a million iterations", base({ budget: { iterations: 1_000_000 } }), "lower budget.iterations"],
  ["a token clip", { ...base(oneUpdate), environments: textworld }, "set update.minibatchRows below 16"],
  ["GSPO's clip", { ...base(oneUpdate), environments: textworld, methods: ["gspo"] }, "update.epochs above 1"],
  ["CISPO's clip", { ...base(oneUpdate), environments: textworld, methods: ["cispo"] }, "clipping never acts"],
  ["SAPO's gate", { ...base(oneUpdate), environments: textworld, methods: ["sapo"] }, "clipping never acts"],
  ["windows", base({ rollout: { numGroups: 2, groupSize: 4 }, update: { minibatchRows: 120 } }), "below 120"],
  ["a clip under lag", { ...base({ ...oneUpdate, rollout: { ...oneUpdate.rollout, lag: { kind: "constant", k: 4 } } }), environments: textworld }, "clipping never acts"],
  ["a KL target from 0", base({ update: { klCoef: 0, klTarget: 0.1, klPlacement: "reward" } }), "remove update.klTarget"],
  ["GRPO alone", base({ rollout: { groupSize: 1 } }), "raise rollout.groupSize to at least 2"],
  ["GiGPO alone", { ...base({ rollout: { groupSize: 1 } }), methods: ["gigpo"] }, "groups of 1 episode"],
  ["EMPG alone", { ...base({ rollout: { groupSize: 1 } }), methods: ["empg"] }, "groups of 1 episode"],
  ["a penalty nobody reads", { ...base({ trainer: { name: "mine" }, reward: { invalidActionPenalty: 0.5 } }), environments: custom }, "remove reward.invalidActionPenalty"],
  ["short moves", responses(8), "to at least 11"],
  ["short commands", { ...responses(8), environments: [{ id: "alfworld" }] }, "to at least 14"],
  ["short purchases", { ...responses(8), environments: [{ id: "webshop" }] }, "to at least 11"],
  ["short quests", { ...responses(8), environments: textworld }, "to at least 13"],
  ["short repairs", { ...responses(16), environments: [{ id: "sweGym" }] }, "to at least 29"],
  ["short programs", { ...responses(16), environments: [{ id: "tirMath" }] }, "to at least 26"],
  ["a cold start to the end", { ...cold(40), ...base({ budget: { iterations: 40 } }) }, "lower sampling.coldStartIterations"],
  ["a lag to the end", base({ budget: { iterations: 10 }, rollout: { lag: { kind: "constant", k: 10 } } }), "lower rollout.lag.k"],
]; // prettier-ignore

describe("a planted mistake", () => {
  it.each(mistakes)("%s is warned about, with the remedy", (_, plan, words) => {
    expect(asked(plan)).toEqual([expect.stringContaining(words)]);
  });

  it.each([
    [1, "1 seed cannot show any difference"],
    [2, "2 seeds can only show differences of 57 points or more"],
    [3, "3 seeds can only show differences of 31 points or more"],
  ])("%i seeds: states what they can detect, without a question", (numSeeds, words) => {
    const plan = planOf({ methods: ["grpo", "sapo"], seeds: Array.from({ length: numSeeds }, (_, seed) => seed) });
    const remedy = "take 5 seeds for differences of 20 points.";
    expect(doubts(plan)).toEqual([{ text: expect.stringContaining(words), isAsked: false }]);
    expect(doubts(plan)[0]?.text).toContain(remedy);
  });
});

const { trainers } = TrainersFile.parse({
  trainers: {
    whole: { kind: "verl", flavour: "verl", version: "0.9.1", gpus: 8, models: { default: "m" } },
    same: { kind: "command", command: ["t", "--train_file=a.parquet", "--eval_file", "a.parquet"] },
    split: { kind: "command", command: ["t", "train_dataset.path=g", "valid_dataset.path=g", "train_dataset.split=train", "valid_dataset.split=train"] },
    warm: { kind: "command", command: ["t", "--max_steps", "100", "--warmup_steps", "100"] },
    ratio: { kind: "command", command: ["t", "actor.optim.lr_warmup_steps_ratio=1.0"] },
    reference: { kind: "command", command: ["t", "actor_rollout_ref.actor.use_kl_loss=True", "actor_rollout_ref.actor.kl_loss_coef=0"] },
    fine: { kind: "command", command: ["t", "--train_file=a", "--eval_file=b", "--warmup_steps=5", "train_dataset.path=g", "valid_dataset.path=g", "train_dataset.split=train", "valid_dataset.split=test"] },
  },
}); // prettier-ignore
const commandDoubts = (name: string, plan: Record<string, unknown> = {}) =>
  previewCells(
    expandPlan(planOf({ environments: custom, base: { trainer: { name }, budget: { iterations: 50 } }, ...plan }))
      .cells,
    makeTranslate(() => trainers),
  ).flatMap((cell) => cell.doubts);

describe("another trainer's command", () => {
  it.each([
    ["same", "train_file and eval_file are equal: name held-out tasks"],
    ["split", "train_dataset.split and valid_dataset.split are equal"],
    ["warm", "warms up for 100 of 100 steps (warmup_steps)"],
    ["ratio", "warms up over the whole run"],
    ["reference", "set actor_rollout_ref.actor.use_kl_loss=False"],
  ])("%s: is warned about", (name, words) => {
    expect(commandDoubts(name)).toEqual([expect.stringContaining(words)]);
  });

  it("is not, if its data, warm-up and reference make sense", () => {
    expect(commandDoubts("fine")).toEqual([]);
  });

  it("with verl's one update per batch is, and with four is not", () => {
    const update = (minibatchRows: number) => ({
      base: {
        trainer: { name: "whole" },
        rollout: { numGroups: 64, groupSize: 8, maxResponseTokens: 256 },
        update: { minibatchRows },
        optimizer: { learningRate: 1e-6 },
      },
    });
    expect(commandDoubts("whole", update(512))).toEqual([expect.stringContaining("clipping never acts")]);
    expect(commandDoubts("whole", update(128))).toEqual([]);
  });
});

describe("a sensible plan", () => {
  it("has no doubts", () => {
    const seeds = [0, 1, 2, 3, 4];
    expect(doubts(planOf({ methods: ["grpo", "sapo"], seeds }))).toEqual([]);
    expect(asked({ ...base({ ...oneUpdate, update: { minibatchRows: 15 } }), environments: textworld })).toEqual([]);
    expect(asked({ ...base(oneUpdate), environments: textworld, methods: ["dppoTv"] })).toEqual([]);
    expect(asked({ ...base({ rollout: { groupSize: 1 } }), methods: ["ppo"] })).toEqual([]);
    expect(asked({ ...cold(39), ...base({ budget: { iterations: 40 } }) })).toEqual([]);
  });

  it("of the presets is asked about only where its clip is idle", { tags: "soak" }, () => {
    const folder = new URL("../../../../public/presets/", import.meta.url);
    const all = ["", "laboratory/"].flatMap((path) =>
      readdirSync(new URL(path, folder)).flatMap((name) => (name.endsWith(".yaml") ? `${path}${name}` : [])),
    );
    const found = all.flatMap((name) => {
      const texts = doubts(parsePlan(readFileSync(new URL(name, folder), "utf8")));
      return texts.flatMap(({ text, isAsked }) => (isAsked ? `${name}: ${text.split(":")[0]}` : []));
    });
    expect(all.length).toBeGreaterThan(36);
    // Each of these three samples 8 × 8 transcripts per iteration, and updates once on all 64.
    const idle = ["complexity", "horizon", "reward-density"];
    expect(found).toEqual(
      idle.map((name) => `${name}-textworld.yaml: Every configuration has one update per iteration`),
    );
  });
});

it("the expert's responses are as long as stated", { tags: "soak" }, async () => {
  const python = await loadPython();
  const measured = Object.keys(expertTokens).map(async (id) => {
    const family = await makeTaskFamily(BuiltInEnvironment.parse({ id }), { python });
    const lengths: number[] = [];
    for (let seed = 0; seed < 60; seed++) {
      for (let episode = family.start(seed); episode.ending === "ongoing";) {
        const response = episode.expertResponse();
        lengths.push(family.toWords(response).split(" ").length);
        episode = episode.respond(response).episode;
      }
    }
    return [id, lengths.toSorted((a, b) => a - b)[Math.floor(lengths.length * 0.95)]];
  });
  expect(Object.fromEntries(await Promise.all(measured))).toEqual(expertTokens);
});
