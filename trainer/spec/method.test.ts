import { describe, expect, it } from "vitest";
import { z } from "zod";
import { Clipping } from "./dimensions.ts";
import { effectiveAggregation, isMethodName, methodNames, methodOf, methods } from "./method.ts";
import { Method } from "./methodSchema.ts";

describe("the table of methods", () => {
  it("has all methods of the paper's tables first, then those for another sampler", () => {
    expect(methodNames.map((name) => methods[name].title)).toEqual([
      "GRPO",
      "GRPO_ST",
      "GRPO_SM",
      "Dr. GRPO",
      "RLOO",
      "REINFORCE++",
      "REINFORCE++ (baseline)",
      "PPO",
      "SAPO",
      "SAPO_SM",
      "CISPO",
      "CISPO_SM",
      "AEPO",
      "GMPO",
      "Clip-Cov",
      "KL-Cov",
      "GSPO",
      "GiGPO",
      "EMPG",
      "DAPO_GRPO",
      "DAPO_GiGPO",
      "SAMPO",
      "GRPO_TIS",
      "GRPO_SeqTIS",
      "GRPO_SeqMIS",
      "GRPO_GeoRS",
      "GRPO_K3RS",
      "IcePop",
      "TRM",
      "GRPO_SeqMaskTIS",
      "Decoupled PPO",
      "Bypass GRPO",
      "Bypass PG",
      "M2PO",
      "DPPO_TV",
      "DPPO_KL",
      "prime-rl",
      "IPO (prime-rl)",
      "DRPO",
      "SPO",
      "DRO",
      "VESPO",
      "LUSPO",
      "ASPO",
      "CE-GPPO",
      "VCPO",
      "OPSM",
      "Turn-PPO",
      "OPO",
      "Pass@k",
      "GPG",
      "MaxRL",
      "HGPO",
      "ReMax",
      "VCPO_OPOB",
    ]);
  });

  it.each(methodNames)("%s is a valid point of the four dimensions, defaults included", (name) => {
    expect(Method.parse(methodOf(name))).toEqual(methodOf(name));
  });

  it.each(methodNames)("%s names its paper and says what it is in one sentence", (name) => {
    expect(methods[name].paper).toMatch(
      /^(arXiv:\d{4}\.\d{5}|github\.com\/[\w-]+\/[\w-]+|fengyao\.notion\.site\/[\w-]+)$/,
    );
    expect(methods[name].summary).toMatch(/^([^.]|Dr\. |\d\.\d)+\.$/);
  });

  it("KL-Cov says the paper's weight and that of verl's configuration, in its summary and at the field", () => {
    const { summary, clipping } = methods.klCov;
    expect(summary).toContain("weight 1 in the paper, 0.1 in verl's configuration");
    expect(clipping).toMatchObject({ kind: "klCov", weight: 1 });
    expect(JSON.stringify(z.toJSONSchema(Clipping, { io: "input" }))).toContain(
      "Weight of the penalty on selected tokens (paper 1, verl 0.1)",
    );
  });

  it("differs from GRPO in what its paper varies, and in nothing else", () => {
    const changed = (name: (typeof methodNames)[number]): string[] =>
      (["aggregation", "clipping", "advantage", "sampling", "correction"] as const).filter(
        (dimension) => JSON.stringify(methodOf(name)[dimension]) !== JSON.stringify(methodOf("grpo")[dimension]),
      );
    expect(Object.fromEntries(methodNames.map((name) => [name, changed(name)]))).toEqual({
      grpo: [],
      grpoSt: ["aggregation"],
      grpoSm: ["clipping"],
      drGrpo: ["aggregation", "advantage"],
      rloo: ["advantage"],
      reinforcePlusPlus: ["advantage"],
      reinforcePlusPlusBaseline: ["advantage"],
      ppo: ["advantage"],
      sapo: ["clipping"],
      sapoSm: ["clipping"],
      cispo: ["clipping"],
      cispoSm: ["clipping"],
      aepo: ["clipping"],
      gmpo: ["aggregation", "clipping"],
      clipCov: ["clipping"],
      klCov: ["clipping"],
      gspo: ["aggregation", "clipping"],
      gigpo: ["advantage"],
      empg: ["advantage"],
      dapoGrpo: ["sampling"],
      dapoGigpo: ["advantage", "sampling"],
      sampo: ["aggregation", "clipping", "advantage", "sampling"],
      grpoTis: ["correction"],
      grpoSeqTis: ["correction"],
      grpoSeqMis: ["correction"],
      grpoGeoRs: ["correction"],
      grpoK3Rs: ["correction"],
      icePop: ["correction"],
      trm: ["correction"],
      seqMaskTis: ["correction"],
      decoupledPpo: ["clipping", "correction"],
      bypassGrpo: ["correction"],
      bypassPg: ["clipping", "correction"],
      m2po: ["clipping", "correction"],
      dppoTv: ["clipping"],
      dppoKl: ["clipping"],
      primeRl: ["clipping"],
      ipo: ["clipping"],
      drpo: ["clipping"],
      spo: ["clipping"],
      dro: ["clipping"],
      vespo: ["clipping", "correction"],
      luspo: ["aggregation", "clipping"],
      aspo: ["clipping"],
      ceGppo: ["clipping"],
      vcpo: ["aggregation", "clipping", "correction"],
      opsm: ["aggregation", "correction"],
      turnPpo: ["clipping", "advantage"],
      opo: ["advantage"],
      passK: ["advantage"],
      gpg: ["clipping", "advantage"],
      maxRl: ["advantage"],
      hgpo: ["advantage"],
      remax: ["advantage"],
      vcpoOpob: ["aggregation", "clipping", "advantage", "correction"],
    });
  });

  it("carries the paper's numbers (Table S1 and released scripts)", () => {
    expect(methods.grpo.clipping).toMatchObject({ low: 0.2, high: 0.2, dual: 3 });
    expect(methods.sapo.clipping).toMatchObject({ tauPositive: 1, tauNegative: 1.05 });
    expect(methods.cispo.clipping).toMatchObject({ low: 1, high: 0.2 });
    expect(methods.gspo.clipping).toEqual({ kind: "sequence", low: 3e-3, high: 4e-3, credit: "row" });
    for (const name of ["grpoSm", "sapoSm", "cispoSm"] as const) {
      expect(methods[name].clipping.sequenceMask).toEqual({ delta: 3e-3 });
    }
    expect(methods.gigpo.advantage).toMatchObject({ scale: "groupStd", stepWeight: 1, gamma: 0.95 });
    expect(methods.empg.advantage).toMatchObject({ k: 1, kFuture: 1, zeta: 0.05 });
    expect(methods.dapoGrpo.sampling).toMatchObject({ kind: "dynamic", maxTries: 3 });
  });
});

it("a sequence ratio is averaged per turn whatever was asked for", () => {
  const asked: Method = { ...methodOf("gspo"), aggregation: "tokenMean" };
  expect(effectiveAggregation(asked)).toBe("seqMeanTokenMean");
  expect(effectiveAggregation(methodOf("grpo"))).toBe("tokenMean");
});

it("does not take inherited names for methods", () => {
  expect(["grpo", "toString", "GRPO", ""].map(isMethodName)).toEqual([true, false, false, false]);
});

describe("what a method cannot be", () => {
  const { clipping } = methodOf("grpo");
  it.each([
    ["a negative clip range", { clipping: { ...clipping, low: -0.1 } }, "clipping.low"],
    ["a lower half-width above 1", { clipping: { ...clipping, low: 1.5 } }, "clipping.low"],
    ["a dual clip below 1", { clipping: { ...clipping, dual: 0.5 } }, "clipping.dual"],
    ["a clip range that is no number", { clipping: { ...clipping, high: NaN } }, "clipping.high"],
    ["an unknown aggregation", { aggregation: "mean" }, "aggregation"],
    ["an unknown kind of advantage", { advantage: { kind: "magic" } }, "advantage.kind"],
    ["zero tries", { sampling: { kind: "dynamic", maxTries: 0 } }, "sampling.maxTries"],
    [
      "a sequence mask on a sequence ratio",
      { clipping: { kind: "sequence", low: 0, high: 0, sequenceMask: null } },
      "clipping",
    ],
  ])("%s", (_, change, path) => {
    const { error } = Method.safeParse({ ...methodOf("grpo"), ...change });
    expect(error?.issues.map((issue) => issue.path.join("."))).toEqual([path]);
  });
});
