import { describe, expect, it } from "vitest";
import { methodOf, penaltyAggregationOf } from "./method.ts";
import { RunSpec, specHash } from "./run.ts";

const smallest = { v: 1, seed: 0, environment: { id: "sokoban" }, method: methodOf("grpo") } as const;
const spec = RunSpec.parse(smallest);

it("specifications written before a field was there mean what they meant, and keep their hash", () => {
  const { penaltyAggregation: _, ...gspo } = methodOf("gspo");
  const stored = [gspo, methodOf("reinforcePlusPlus")].map((method) => RunSpec.parse({ ...smallest, method }));
  expect(stored.map(({ method }) => penaltyAggregationOf(method))).toEqual(["seqMeanTokenMean", "tokenMean"]);
  expect(stored.map(specHash)).toEqual(["12fc676a30e84f38", "a999c5c443995179"]);
});

describe("a run spec of environment, method and seed alone", () => {
  it("gets every other value by default", () => {
    const { v, seed, method, ...rest } = spec;
    expect([v, seed]).toEqual([1, 0]);
    expect(method).toEqual(methodOf("grpo"));
    expect(rest).toEqual({
      environment: { id: "sokoban", size: 6, numBoxes: 1, searchDepth: 30, maxTurns: 15, reward: "native" },
      policy: { size: "nano", positions: null },
      initialisation: {
        kind: "demonstrations",
        numEpisodes: expect.any(Number),
        slipRate: 0,
        epochs: expect.any(Number),
        batchRows: expect.any(Number),
        learningRate: expect.any(Number),
      },
      rollout: {
        shape: null,
        numGroups: 16,
        groupSize: 8,
        temperature: 1,
        historyLength: 2,
        maxResponseTokens: 16,
      },
      reward: { invalidActionPenalty: 0.1, turnPenalty: 0, overlongPenalty: 0, overlongBuffer: 0.2 },
      update: {
        minibatchRows: 128,
        epochs: 1,
        klCoef: 0.01,
        klEstimator: "k3",
        klPlacement: "loss",
        klTarget: null,
        klHorizon: 10_000,
        entropyCoef: 0,
        oldLogProbs: "sampler",
        truncatedImportance: null,
        denominatorRows: null,
      },
      optimizer: {
        learningRate: expect.any(Number),
        beta1: 0.9,
        beta2: 0.999,
        epsilon: 1e-8,
        weightDecay: 0.01,
        maxGradientNorm: 1,
      },
      evaluation: { every: 5, numEpisodes: 128, unseenEpisodes: 0, temperature: 0.6, topP: 0.95, topK: 20 },
      budget: { iterations: 200, split: null },
      execution: { provider: "cpu", memoryLimitMb: 1500, checkpointEvery: 10, numSamples: 4 },
    });
  });

  it("is complete: parsing it again, or from its JSON, changes nothing", () => {
    expect(RunSpec.parse(spec)).toEqual(spec);
    expect(RunSpec.parse(JSON.parse(JSON.stringify(spec)))).toEqual(spec);
  });
});

describe("a wrong spec is refused by name of the field", () => {
  it.each([
    ["an unknown key", { ...smallest, learningRate: 1 }, ""],
    ["an unknown key further down", { ...smallest, update: { klCoeff: 1 } }, "update"],
    ["another version", { ...smallest, v: 2 }, "v"],
    ["no seed", { ...smallest, seed: undefined }, "seed"],
    ["a fractional seed", { ...smallest, seed: 0.5 }, "seed"],
    ["a negative coefficient", { ...smallest, update: { klCoef: -1 } }, "update.klCoef"],
    ["a value over its limit", { ...smallest, rollout: { groupSize: 257 } }, "rollout.groupSize"],
    ["an unknown environment", { ...smallest, environment: { id: "chess" } }, "environment.id"],
  ])("%s", (_, wrong, path) => {
    const { error } = RunSpec.safeParse(wrong);
    expect(error?.issues.map((issue) => issue.path.join("."))).toEqual([path]);
  });
});

describe("the hash of a spec", () => {
  it("does not depend on the order of keys", () => {
    expect(specHash(RunSpec.parse(Object.fromEntries(Object.entries(smallest).toReversed())))).toBe(specHash(spec));
  });

  it("changes with every value, the seed included", () => {
    const others = [
      { ...spec, seed: 1 },
      { ...spec, update: { ...spec.update, klCoef: 0.02 } },
      { ...spec, method: methodOf("gspo") },
    ];
    expect(new Set([spec, ...others].map(specHash)).size).toBe(4);
  });
});
