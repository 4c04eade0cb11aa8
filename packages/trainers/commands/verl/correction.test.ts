import { describe, expect, it } from "vitest";
import { noCorrection, type Correction } from "#trainer/spec/correction.ts";
import { methodNames, methodOf, type Method, type MethodName } from "#trainer/spec/method.ts";
import { RunSpec } from "#trainer/spec/run.ts";
import { settings } from "../testing/settings.ts";
import { verlArguments } from "../resolveTemplate.ts";

function translate(method: Method): { passed: Record<string, string>; problems: string[] } {
  const spec = RunSpec.parse({ v: 1, seed: 0, environment: { id: "textworld" }, method });
  const { overrides, problems } = verlArguments(spec, { ...settings, flavour: "verl" });
  const start = "algorithm.rollout_correction.";
  const ours = overrides.filter((one) => one.startsWith(start)).map((one) => one.slice(start.length).split("="));
  return {
    passed: Object.fromEntries(ours),
    problems: problems.map(({ path }) => path).filter((path) => path.startsWith("method.")),
  };
}
const corrected = (correction: Partial<Correction>): Method => ({
  ...methodOf("grpo"),
  correction: { ...noCorrection, ...correction },
});

/** Named presets of verl's own RolloutCorrectionConfig, by method. */
const presets: Partial<Record<MethodName, Record<string, string>>> = {
  grpoTis: { rollout_is: "token", rollout_is_threshold: "2", rollout_is_batch_normalize: "False" },
  grpoSeqTis: { rollout_is: "sequence", rollout_is_threshold: "2", rollout_is_batch_normalize: "False" },
  icePop: { rollout_is: "token", rollout_is_threshold: "'0.5_5'", rollout_is_batch_normalize: "False" },
  bypassGrpo: { bypass_mode: "True", loss_type: "ppo_clip", rollout_is: "null" },
  bypassPg: {
    bypass_mode: "True",
    loss_type: "reinforce",
    rollout_is: "sequence",
    rollout_is_threshold: "2",
    rollout_is_batch_normalize: "False",
  },
  grpoSeqMis: {
    rollout_is: "sequence",
    rollout_is_threshold: "2",
    rollout_is_batch_normalize: "False",
    rollout_rs: "'seq_sum_k1'",
    rollout_rs_threshold: "'0.5_2'",
  },
  trm: { rollout_is: "null", rollout_rs: "'seq_max_k2,seq_mean_k3'", rollout_rs_threshold: "'0.05,1e-3'" },
};

describe("a correction in verl's words", () => {
  it.each(Object.entries(presets))("%s is verl's own setting of that name", (name, expected) => {
    const known = methodNames.find((one) => one === name) ?? "grpo";
    expect(translate(methodOf(known))).toEqual({ passed: expected, problems: [] });
  });

  it("bounds of a ratio are turned over, for verl's are of the sampler's over the trainer's", () => {
    const reject = [{ kind: "row", statistic: "ratio", reduce: "mean", low: 0.8, high: 2 }] as const;
    expect(translate(corrected({ reject: [...reject] })).passed).toMatchObject({
      rollout_rs: "'seq_mean_k1'",
      rollout_rs_threshold: "'0.5_1.25'",
    });
  });

  it("a weight without bounds is one that no ratio reaches", () => {
    const weight = { kind: "raw", level: "token", normalise: true } as const;
    expect(translate(corrected({ weight })).passed).toMatchObject({
      rollout_is_threshold: "1000000000",
      rollout_is_batch_normalize: "True",
    });
  });

  it.each<[what: string, correction: Partial<Correction>, path: string]>([
    ["a step by effective samples", { step: { kind: "ess", rule: "sqrt", base: 1, cap: null } }, "step"],
    ["an interpolated proximal policy", { proximal: "interpolated" }, "proximal"],
    ["a second moment", { reject: [{ kind: "secondMoment", threshold: 0.04 }] }, "reject"],
    [
      "rejected tokens that still count",
      { reject: [{ kind: "token", statistic: "k3", low: null, high: 0.1 }], denominator: "all" },
      "denominator",
    ],
    [
      "a weight of a row's mean ratio",
      { weight: { kind: "clip", level: "geometric", low: null, high: 2, normalise: false } },
      "weight.level",
    ],
  ])("%s is refused at its field", (_, correction, path) => {
    expect(translate(corrected(correction)).problems).toEqual([`method.correction.${path}`]);
  });
});
