import { spawnSync } from "node:child_process";
import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import type { Correction } from "#trainer/spec/correction.ts";
import { methodNames, methodOf, type Method, type MethodName } from "#trainer/spec/method.ts";
import { RunSpec } from "#trainer/spec/run.ts";
import { formatIssue } from "#packages/base";
import { arealArguments } from "./arguments.ts";

/** Python command with the package `areal` (1.0.4). */
const python = process.env["ARLARENA_AREAL_PYTHON"];

const plain = { update: { klCoef: 0 } };
const inReward = { update: { klCoef: 0.05, klPlacement: "reward", klEstimator: "k2", oldLogProbs: "trainer" } };
const changes = [
  plain,
  inReward,
  {
    ...plain,
    rollout: { groupSize: 5, numGroups: 6, lag: { kind: "uniform", max: 4 } },
    reward: { overlongPenalty: 0.1 },
  },
  { ...plain, execution: { checkpointEvery: 0 }, optimizer: { maxGradientNorm: 0 }, evaluation: { temperature: 0 } },
];

const specOf = (method: Method, change: object = plain) =>
  RunSpec.parse({ v: 1, seed: 3, environment: { id: "tirMath" }, method, ...change });
const translate = (spec: RunSpec, hasCritic = true) => arealArguments(spec, { runFolder: "/r", run: "a-b", hasCritic });
/** A method with AReaL's aggregation. */
const asAreal = (name: MethodName): Method => ({ ...methodOf(name), aggregation: "tokenMean" });

const accepted = methodNames.flatMap((name) =>
  changes.flatMap((change) => {
    const { overrides, problems } = translate(specOf(asAreal(name), change));
    return problems.length === 0 ? [{ name, overrides }] : [];
  }),
);

/** Overrides of a method, by key. */
function settingsOf(name: MethodName, change?: object): ReadonlyMap<string, string> {
  const { overrides, problems } = translate(specOf(asAreal(name), change));
  expect(problems.map(formatIssue)).toEqual([]);
  return new Map(overrides.map((one) => [one.slice(2, one.indexOf("=")), one.slice(one.indexOf("=") + 1)]));
}

describe("AReaL's configuration for a method", () => {
  it("is made for what AReaL has a loss, an advantage and a filter of", () => {
    expect([...new Set(accepted.map(({ name }) => name))].toSorted((a, b) => a.localeCompare(b)))
      .toMatchInlineSnapshot(`
        [
          "bypassGrpo",
          "decoupledPpo",
          "drGrpo",
          "grpo",
          "grpoSt",
          "grpoTis",
          "gspo",
          "icePop",
          "luspo",
          "m2po",
          "ppo",
          "rloo",
          "sapo",
        ]
      `);
  });

  it("decoupled PPO: around the trainer's own pass, tokens whose ratio to the sampler is above 5 left out", () => {
    const settings = settingsOf("decoupledPpo");
    const filter = ["level", "action", "metric", "upper", "lower"];
    expect(filter.map((key) => settings.get(`actor.rejection_sampling.${key}`))).toEqual([
      "token",
      "mask",
      "ratio",
      "5",
      "null",
    ]);
    expect(settings.get("actor.use_decoupled_loss")).toBe("true");
    expect([settings.get("actor.eps_clip"), settings.get("actor.eps_clip_higher")]).toEqual(["0.4", "0.4"]);
  });

  it("M2PO: its threshold, and no filter beside it", () => {
    const settings = settingsOf("m2po");
    expect([settings.get("actor.m2_threshold"), settings.get("actor.rejection_sampling")]).toEqual(["0.04", "null"]);
    expect(settings.get("actor.use_decoupled_loss")).toBe("true");
  });

  it("GSPO, SAPO, RLOO and a critic by AReaL's own names", () => {
    expect(settingsOf("gspo").get("actor.importance_sampling_level")).toBe("sequence");
    expect(settingsOf("sapo").get("actor.use_sapo_loss")).toBe("true");
    expect(settingsOf("rloo").get("actor.reward_norm.mean_leave1out")).toBe("true");
    expect(settingsOf("ppo", { ...plain, optimizer: { learningRate: 1e-6 } }).get("critic.optimizer.lr")).toBe("1e-5");
  });

  it("a row may be as old as the plan's sampler lags, and is discarded beyond", () => {
    const oldest = (lag: object) =>
      settingsOf("grpo", { ...plain, rollout: { lag } }).get("rollout.max_head_offpolicyness");
    expect(oldest({ kind: "constant", k: 0 })).toBe("0");
    expect(oldest({ kind: "uniform", max: 8 })).toBe("8");
    expect(oldest({ kind: "geometric", mean: 2, max: 8, discardBeyond: 4 })).toBe("4");
  });
});

describe("what AReaL has no way of is refused at its field", () => {
  const problemsOf = (method: Method, change?: object) =>
    translate(specOf(method, change), false).problems.map(formatIssue);
  const grpo = asAreal("grpo");
  const weight = { kind: "raw", level: "token", normalise: false } as const;
  const none: Correction = { proximal: "recomputed", weight: null, reject: [], denominator: "all", step: null };

  it.each<[what: string, method: Method, change: object, problem: string]>([
    [
      "a mean over rows",
      { ...grpo, aggregation: "seqMeanTokenMean" },
      plain,
      "method.aggregation: seqMeanTokenMean is refused",
    ],
    ["a KL in the loss", grpo, { update: { klCoef: 0.1 } }, "update.klPlacement: loss is refused"],
    ["an entropy bonus", grpo, { update: { klCoef: 0, entropyCoef: 0.01 } }, "update.entropyCoef: 0.01 is refused"],
    [
      "a rest of rows",
      grpo,
      { update: { klCoef: 0, minibatchRows: 100 } },
      "update.minibatchRows: 100 does not divide the 128 rows",
    ],
    ["a critic that its file has not", asAreal("ppo"), plain, "method.advantage.kind: gae is refused"],
    ["a mask of rows", asAreal("sapoSm"), plain, "method.clipping.sequenceMask"],
    [
      "a rejection without a weight",
      { ...grpo, correction: { ...none, reject: [{ kind: "token", statistic: "ratio", low: null, high: 5 }] } },
      plain,
      "method.correction.weight: AReaL weights the tokens that this rejection keeps by their ratio",
    ],
    [
      "k3, whose direction is the other one",
      { ...grpo, correction: { ...none, weight, reject: [{ kind: "token", statistic: "k3", low: null, high: 1 }] } },
      plain,
      "method.correction.reject: k3 is refused",
    ],
    [
      "a cap that is no more than 1",
      {
        ...grpo,
        correction: { ...none, weight: { kind: "clip", low: null, high: 1, level: "token", normalise: false } },
      },
      plain,
      "method.correction.weight.high: 1 is refused",
    ],
  ])("%s", (_, method, change, problem) => {
    expect(problemsOf(method, change).join("\n")).toContain(problem);
  });
});

describe.skipIf(!python)("AReaL's own configuration (needs ARLARENA_AREAL_PYTHON, a Python that has areal)", () => {
  it("takes every command, whether its file has the keys or not", () => {
    const folder = mkdtempSync(join(tmpdir(), "areal-"));
    const file = join(folder, "base.yaml");
    // Settings that have no default in AReaL and that every configuration file contains.
    const engine = "{ backend: 'fsdp:d1', path: m, experiment_name: e, trial_name: t }";
    const named = (more: string) => `{ experiment_name: e, trial_name: t, fileroot: f${more} }`;
    writeFileSync(
      file,
      [
        "experiment_name: e",
        "trial_name: t",
        `actor: ${engine.replace(" }", ", optimizer: { lr: 1 } }")}`,
        `critic: ${engine.replace(" }", ", optimizer: { lr: 1 } }")}`,
        "rollout: { backend: 'sglang:d1' }",
        "train_dataset: { path: p, type: rl }",
        ...["saver", "evaluator", "recover"].map((name) => `${name}: ${named("")}`),
        `stats_logger: ${named("")}`,
        "cluster: { fileroot: f, name_resolve: { nfs_record_root: f } }",
      ].join("\n"),
    );
    const program = [
      "import json, sys",
      "from areal.api.cli_args import GRPOConfig, parse_cli_args, to_structured_cfg",
      "from omegaconf import OmegaConf",
      "out = []",
      "for overrides in json.load(sys.stdin):",
      `    cfg, _ = parse_cli_args(['--config', ${JSON.stringify(file)}, *overrides])`,
      "    config = OmegaConf.to_object(to_structured_cfg(cfg, GRPOConfig))",
      "    filter = config.actor.rejection_sampling",
      "    out.append({'low': config.actor.eps_clip, 'm2': config.actor.m2_threshold, 'evalSamples': config.eval_gconfig.n_samples,",
      "        'oldest': config.rollout.max_head_offpolicyness, 'filter': filter and filter.action, 'group': config.actor.reward_norm and config.actor.reward_norm.group_size})",
      "print('RESULT' + json.dumps(out))",
    ].join("\n");
    const { status, stdout, stderr } = spawnSync(python ?? "", ["-c", program], {
      input: JSON.stringify(accepted.map(({ overrides }) => overrides)),
      encoding: "utf8",
    });
    expect(status, stderr.slice(-3000)).toBe(0);
    const Read = z.array(
      z.object({ low: z.number(), m2: z.number().nullable(), evalSamples: z.literal(1), oldest: z.number() }).loose(),
    );
    const read = Read.parse(JSON.parse(stdout.slice(stdout.indexOf("RESULT") + 6)));
    expect(read).toHaveLength(accepted.length);
    for (const [i, { name, overrides }] of accepted.entries()) {
      const { clipping } = methodOf(name);
      if ("low" in clipping) expect(read[i]?.low).toBe(clipping.low);
      expect(read[i]?.m2 !== null).toBe(name === "m2po");
      expect(overrides).toContain(`++rollout.max_head_offpolicyness=${read[i]?.oldest}`);
    }
  });
});
