import { describe, expect, it } from "vitest";
import { methodOf } from "#trainer/spec/method.ts";
import { CellSpec } from "#trainer/spec/run.ts";
import { settingsOf } from "./settings.ts";

const base = { environment: { id: "sokoban" }, method: methodOf("grpo") };
const of = (changes: object) => settingsOf(CellSpec.parse({ ...base, ...changes }));
const plain = of({});

describe("what runs of different methods have to share", () => {
  it.each([
    ["the method", { method: methodOf("sampo") }],
    ["how it is carried out", { execution: { memoryLimitMb: 4000, numSamples: 0 } }],
  ])("is not %s", (_, changes) => {
    expect(of(changes)).toEqual(plain);
  });

  it.each([
    ["learning rate", { optimizer: { learningRate: 1e-5 } }],
    ["rollout size", { rollout: { numGroups: 8 } }],
    ["a knob of the environment", { environment: { id: "sokoban", maxTurns: 10 } }],
    ["budget", { budget: { iterations: 100 } }],
    ["KL coefficient", { update: { klCoef: 0 } }],
  ])("is the %s", (_, changes) => {
    expect(of(changes).setting).not.toBe(plain.setting);
    expect(of(changes).settingButSteps).not.toBe(plain.settingButSteps);
  });

  it.each([{ epochs: 4 }, { minibatchRows: 32 }])("is %o too, but where staleness is compared", (update) => {
    expect(of({ update }).setting).not.toBe(plain.setting);
    expect(of({ update }).settingButSteps).toBe(plain.settingButSteps);
  });
});
