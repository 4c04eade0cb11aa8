import { existsSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { methodNames, methodOf } from "#trainer/spec/method.ts";
import { CellSpec, RunSpec } from "#trainer/spec/run.ts";
import { factorLevels } from "#server/domain/plan/sweep/methods/factorLevels.ts";
import { trlArguments } from "#packages/trainers/commands/trl/arguments.ts";
import { settings } from "#packages/trainers/commands/testing/settings.ts";
import { verlArguments } from "#packages/trainers/commands/resolveTemplate.ts";
import { proposeStatement } from "./proposeStatement.ts";

const propose = (params: Readonly<Record<string, string>>, name = "imported") =>
  proposeStatement({ name, environment: "unknown", params });

/** Levels of the four dimensions in the proposal from some parameters. */
function levelsOf(params: Readonly<Record<string, string>>) {
  const { method } = propose(params).statement;
  return method === undefined ? undefined : factorLevels(typeof method === "string" ? methodOf(method) : method);
}

describe("what TRL's configuration says", () => {
  const sent = (name: (typeof methodNames)[number]) => {
    const spec = {
      ...CellSpec.parse({ environment: { id: "sokoban" }, method: methodOf(name) }),
      v: 1 as const,
      seed: 0,
    };
    const { arguments: words, problems } = trlArguments(spec, { outputFolder: "x", processes: 1 });
    const pairs = words.flatMap((word, i) => (word.startsWith("--") ? [[word.slice(2), words[i + 1] ?? ""]] : []));
    return { spec, problems, params: z.record(z.string(), z.string()).parse(Object.fromEntries(pairs)) };
  };

  // TRL has a single row mask, so masking by drift from the sampler is read as masking by drift from the old policy.
  it.each(methodNames.filter((name) => name !== "opsm" && sent(name).problems.length === 0))(
    "is %s where that was sent to it",
    (name) => {
      const { params, spec } = sent(name);
      const { method } = propose(params).statement;
      const weightOf = (one: typeof method) => (typeof one === "object" ? one.correction?.weight : undefined);
      expect(weightOf(method)).toEqual(weightOf(spec.method));
      expect(levelsOf(params)).toEqual(factorLevels(spec.method));
      expect(propose(params).statement.settings).toMatchObject({
        optimizer: { learningRate: spec.optimizer.learningRate },
        rollout: { groupSize: spec.rollout.groupSize },
        update: { klCoef: spec.update.klCoef },
      });
    },
  );
});

describe("what verl's configuration says of its sampler", () => {
  const sent = (name: (typeof methodNames)[number]) => {
    const spec = RunSpec.parse({ v: 1, seed: 0, environment: { id: "textworld" }, method: methodOf(name) });
    const { overrides, problems } = verlArguments(spec, { ...settings, flavour: "verl" });
    const pairs = overrides.map((one) => one.replace(/^[+]*/, "").split(/=(.*)/s).slice(0, 2));
    return { spec, problems, params: z.record(z.string(), z.string()).parse(Object.fromEntries(pairs)) };
  };
  const isSent = (name: (typeof methodNames)[number]) =>
    methodOf(name).correction !== undefined && sent(name).problems.length === 0;

  it.each(methodNames.filter(isSent))("is the correction of %s where that was sent to it", (name) => {
    const { params, spec } = sent(name);
    const { method } = propose(params).statement;
    const proposed = typeof method === "string" ? methodOf(method) : method;
    expect(proposed?.correction).toEqual(spec.method.correction);
    expect(proposed?.clipping.kind).toBe(spec.method.clipping.kind);
  });

  it.each(["grpo", "rloo", "ppo", "opo", "passK", "gpg", "remax"] as const)(
    "is %s where that was sent to it",
    (name) => {
      const { params, spec, problems } = sent(name);
      expect(problems).toEqual([]);
      expect(levelsOf(params)).toEqual(factorLevels(spec.method));
    },
  );

  it.each([
    [
      { adv_estimator: "grpo", norm_adv_by_std_in_grpo: "False" },
      { kind: "group", scale: "none" },
    ],
    [
      { adv_estimator: "grpo_passk", norm_adv_by_std_in_grpo: "False" },
      { kind: "passK", scale: "none" },
    ],
    [
      { adv_estimator: "grpo", norm_adv_by_std_in_grpo: "True" },
      { kind: "group", scale: "groupStd" },
    ],
    [
      { adv_estimator: "gae", gamma: "0.99", lam: "0.95" },
      { kind: "gae", gamma: 0.99, lambda: 0.95 },
    ],
  ])("%j has its own advantages", (said, advantage) => {
    const section = Object.entries(said).map(([name, value]) => [`algorithm.${name}`, value]);
    const { method } = propose(Object.fromEntries(section)).statement;
    expect(typeof method === "string" ? methodOf(method).advantage : method?.advantage).toMatchObject(advantage);
  });

  it("does not take GPG's advantages for its loss", () => {
    expect(levelsOf({ "algorithm.adv_estimator": "gpg" })).toMatchObject({ clipping: "token", advantage: "gpg" });
  });

  it("is sent by several methods", () => expect(methodNames.filter(isSent).length).toBeGreaterThan(5));

  it.each([
    [{ rollout_is: "null", rollout_is_threshold: "2.0", rollout_rs: "None", bypass_mode: "False" }, undefined],
    [
      { rollout_rs: "token_k1", rollout_rs_threshold: "4.0" },
      { reject: [{ kind: "token", statistic: "ratio", low: 0.25, high: 4 }] },
    ],
    [
      { rollout_rs: "seq_sum_k2,seq_mean_k3", rollout_rs_threshold: "0.5" },
      {
        reject: [
          { kind: "row", statistic: "k2", reduce: "sum", low: null, high: 0.5 },
          { kind: "row", statistic: "k3", reduce: "mean", low: null, high: 0.5 },
        ],
      },
    ],
    [{ rollout_is: "sequence" }, { weight: { kind: "clip", level: "row", low: null, high: 2, normalise: false } }],
  ])("%j is read as verl reads it", (said, correction) => {
    const section = Object.entries(said).map(([name, value]) => [`algorithm.rollout_correction.${name}`, value]);
    const { method } = propose({ "algorithm.adv_estimator": "grpo", ...Object.fromEntries(section) }).statement;
    const proposed = typeof method === "string" ? methodOf(method) : method;
    expect(proposed).toBeDefined();
    if (correction === undefined) expect(proposed?.correction).toBeUndefined();
    else expect(proposed?.correction).toMatchObject(correction);
  });

  it.each([
    { rollout_is: "geometric" },
    { rollout_is: "token", rollout_is_threshold: "5_0.5" },
    { rollout_rs: "seq_max_k1", rollout_rs_threshold: "0" },
    { rollout_rs: "token_k1,token_k2,token_k3", rollout_rs_threshold: "1,2" },
  ])("%j proposes no method", (said) => {
    const section = Object.entries(said).map(([name, value]) => [`algorithm.rollout_correction.${name}`, value]);
    const { statement } = propose({ "algorithm.adv_estimator": "grpo", ...Object.fromEntries(section) });
    expect(statement.method).toBeUndefined();
  });
});

describe("what verl's configuration says", () => {
  it("is read with slashes, as its MLflow logger writes names, and with dots", () => {
    const params = {
      "algorithm/adv_estimator": "gigpo",
      "algorithm/filter_groups/enable": "True",
      "actor_rollout_ref/actor/policy_loss/loss_mode": "gspo",
      "actor_rollout_ref/actor/clip_ratio_low": "0.003",
      "actor_rollout_ref/actor/clip_ratio_high": "0.004",
      "actor_rollout_ref/actor/optim/lr": "1e-06",
      "env/env_name": "alfworld/AlfredTWEnv",
    };
    const { statement, sources } = propose(params);
    expect(levelsOf(params)).toEqual(factorLevels(methodOf("sampo")));
    expect(statement).toMatchObject({ environment: "alfworld", settings: { optimizer: { learningRate: 1e-6 } } });
    expect(sources).toEqual(["configuration"]);
    const dotted = Object.fromEntries(Object.entries(params).map(([key, value]) => [key.replaceAll("/", "."), value]));
    expect(propose(dotted)).toEqual(propose(params));
  });

  it("proposes no value beyond a limit of ours, and no method for a loss that is none of ours", () => {
    const params = { "algorithm.adv_estimator": "gdpo", "actor_rollout_ref.actor.optim.lr": "7" };
    expect(propose(params)).toEqual({ statement: {}, sources: [] });
  });
});

const scripts = "../shared/reference/scripts.json";
describe.skipIf(!existsSync(scripts))("the published scripts of ARLArena (needs shared/reference)", () => {
  const Scripts = z.object({ scripts: z.record(z.string(), z.object({ settings: z.record(z.string(), z.string()) })) });
  const read = () => Scripts.parse(JSON.parse(readFileSync(scripts, "utf8"))).scripts;
  it("are proposed to be methods of ours, nearly all of them", () => {
    const entries = Object.entries(read());
    const found = entries.map(([name, params]) => [name, levelsOf(unsigned(params.settings))] as const);
    expect(found.length).toBeGreaterThan(20);
    // The remaining scripts train by SFT, evaluate, or specify no advantage estimator.
    expect(found.filter(([, levels]) => levels === undefined).length / found.length).toBeLessThan(0.15);
  });
});

/** Removes the leading + by which Hydra adds a key that the configuration lacks. */
function unsigned(settings: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(settings).map(([key, value]) => [key.replace(/^\+/, ""), value]));
}

it("prefers the configuration, and takes what it lacks from the name", () => {
  const params = { "algorithm.adv_estimator": "rloo" };
  expect(propose(params, "grpo_webshop_seed3")).toEqual({
    statement: { method: "rloo", environment: "webshop" },
    sources: ["configuration", "name"],
  });
});
