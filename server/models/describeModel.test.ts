import { join } from "node:path";
import { expect, it } from "vitest";
import { PolicySpec } from "#trainer/spec/policy.ts";
import { ExecutionSpec } from "#trainer/spec/run.ts";
import { describeModels, readModelSizes } from "./describeModel.ts";

/** Two layers, 16 wide. */
const pretrained = join(import.meta.dirname, "../../trainer/policy/llama/testing/models/qwen3");
const specOf = (policy: object, memoryLimitMb = 1500) => ({
  policy: PolicySpec.parse({ pretrained, ...policy }),
  execution: { ...ExecutionSpec.parse({}), memoryLimitMb },
});

it("says what a run with a model takes, each combination once, and refuses with figures what does not fit", () => {
  const [fits, tight, long, absent, ...more] = describeModels([
    specOf({}),
    specOf({}),
    specOf({}, 250),
    specOf({ contextTokens: 4096 }),
    specOf({ pretrained: "/nowhere/model" }),
    { ...specOf({}), policy: PolicySpec.parse({}) },
  ]);
  expect(more).toEqual([]);
  expect(fits).toMatchObject({ pretrained, memory: { contextTokens: 128, problem: null }, problems: [] });
  expect(tight?.problems).toEqual([
    { path: "execution.memoryLimitMb", message: expect.stringMatching(/^250 MB do not hold this model/) },
  ]);
  expect(long?.problems).toEqual([
    {
      path: "policy.contextTokens",
      message: expect.stringMatching(/4096 tokens are more than the model was made for/),
    },
  ]);
  expect(absent).toEqual({ pretrained: "/nowhere/model", numParameters: null, memory: null, problems: [] });
});

it("counts all weights of a model, with adapters beside them or not", () => {
  const sizes = readModelSizes([{ spec: specOf({ loraRank: 2 }) }, { spec: specOf({ pretrained: "/nowhere/model" }) }]);
  expect(sizes).toEqual({ [pretrained]: describeModels([specOf({})])[0]?.numParameters });
});
