import { describe, expect, it } from "vitest";
import { methodOf, type MethodName } from "#trainer/spec/method.ts";
import { allBut, allButMethod } from "./settings.ts";
import { allButSteps } from "./extremes.ts";
import { cellOf, studiedRun } from "./testing/studiedRuns.ts";

const of = (changes: object) => studiedRun(cellOf(changes), 0);
const plain = of({});

describe("what runs of different methods have to share", () => {
  it.each([
    ["the method", { method: methodOf("sampo") }],
    ["how it is carried out", { execution: { memoryLimitMb: 4000, numSamples: 0 } }],
  ])("is not %s", (_, changes) => {
    expect(allButMethod(of(changes))).toBe(allButMethod(plain));
  });

  it.each([
    ["learning rate", { optimizer: { learningRate: 1e-5 } }],
    ["rollout size", { rollout: { numGroups: 8 } }],
    ["a knob of the environment", { environment: { id: "sokoban", maxTurns: 10 } }],
    ["budget", { budget: { iterations: 100 } }],
    ["KL coefficient", { update: { klCoef: 0 } }],
  ])("is the %s", (_, changes) => {
    expect(allButMethod(of(changes))).not.toBe(allButMethod(plain));
    expect(allButSteps(of(changes))).not.toBe(allButSteps(plain));
  });

  it.each([{ epochs: 4 }, { minibatchRows: 32 }])("is %o too, but where staleness is compared", (update) => {
    expect(allButMethod(of({ update }))).not.toBe(allButMethod(plain));
    expect(allButSteps(of({ update }))).toBe(allButSteps(plain));
  });
});

describe("what is left free by its path", () => {
  it("is that alone, in the settings as in the method", () => {
    const ofMethod = (name: MethodName) =>
      allBut("method.clipping.sequenceMask")(studiedRun(cellOf({}, methodOf(name)), 0));
    expect(ofMethod("sapoSm")).toBe(ofMethod("sapo"));
    expect(ofMethod("cispo")).not.toBe(ofMethod("sapo"));
  });

  it("may be a whole part, of another kind on the other side", () => {
    const scratch = of({ initialisation: { kind: "scratch" } });
    expect(allBut("initialisation")(scratch)).toBe(allBut("initialisation")(plain));
    expect(allBut("initialisation.epochs")(scratch)).not.toBe(allBut("initialisation.epochs")(plain));
  });
});
