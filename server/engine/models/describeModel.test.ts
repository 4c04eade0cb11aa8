import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, vi } from "vitest";
import { EnvironmentSpec } from "#trainer/spec/environment.ts";
import { PolicySpec } from "#trainer/spec/policy.ts";
import { ExecutionSpec, RolloutSpec } from "#trainer/spec/run.ts";
import { describeModels, readModelSizes } from "./describeModel.ts";
import { listModels } from "./modelFolders.ts";

/** Tiny model with two layers of width 16. */
const pretrained = join(import.meta.dirname, "../../../trainer/policy/llama/testing/models/qwen3");
const specOf = (policy: object, memoryLimitMb = 1500) => ({
  policy: PolicySpec.parse({ pretrained, ...policy }),
  execution: { ...ExecutionSpec.parse({}), memoryLimitMb },
  environment: EnvironmentSpec.parse({ id: "sokoban" }),
  rollout: RolloutSpec.parse({}),
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
  expect(fits).toMatchObject({
    pretrained,
    family: "qwen3",
    maxTokens: 128,
    memoryLimitMb: 1500,
    provider: "cpu",
    memory: { contextTokens: 128, problem: null },
    problems: [],
  });
  expect(tight?.problems).toEqual([
    { path: "execution.memoryLimitMb", message: expect.stringMatching(/^250 MB are too little for this model/) },
  ]);
  expect(long?.problems).toEqual([
    {
      path: "policy.contextTokens",
      message: expect.stringMatching(/is 4096, must be at most/),
    },
  ]);
  expect(absent).toMatchObject({ pretrained: "/nowhere/model", numParameters: null, memory: null, problems: [] });
});

it("says how much learns, and refuses at its name a model that we would compute otherwise", () => {
  const [whole, adapted] = describeModels([specOf({}), specOf({ loraRank: 2 })]);
  expect(whole?.numLearning).toBe(whole?.numParameters);
  expect(adapted?.numParameters).toBe(whole?.numParameters);
  expect(adapted?.numLearning).toBeLessThan(whole?.numParameters ?? 0);
  const folder = mkdtempSync(join(tmpdir(), "arlarena-other-"));
  writeFileSync(join(folder, "config.json"), JSON.stringify({ model_type: "mamba" }));
  const [other] = describeModels([specOf({ pretrained: folder })]);
  expect(other).toMatchObject({ numParameters: null, problems: [{ path: "policy.pretrained" }] });
  rmSync(folder, { recursive: true });
});

it("counts all weights of a model, with adapters beside them or not", () => {
  const sizes = readModelSizes([{ spec: specOf({ loraRank: 2 }) }, { spec: specOf({ pretrained: "/nowhere/model" }) }]);
  expect(sizes).toEqual({ [pretrained]: describeModels([specOf({})])[0]?.numParameters });
});

it("knows a hub's model that this machine has fetched, and asks nobody for another", () => {
  const cache = mkdtempSync(join(tmpdir(), "arlarena-cached-"));
  const [store, commit] = [join(cache, "models--owner--Tiny"), "a".repeat(40)];
  const folder = join(store, "snapshots", commit);
  cpSync(pretrained, folder, { recursive: true });
  for (const name of ["tokenizer.json", "tokenizer_config.json"]) writeFileSync(join(folder, name), "{}");
  mkdirSync(join(store, "refs"));
  writeFileSync(join(store, "refs/main"), commit);
  vi.stubEnv("HF_HUB_CACHE", cache);
  const [known, unknown] = describeModels([
    specOf({ pretrained: "owner/Tiny" }),
    specOf({ pretrained: "owner/Other" }),
  ]);
  expect(known).toEqual({ ...describeModels([specOf({})])[0], pretrained: "owner/Tiny" });
  expect(unknown?.numParameters).toBeNull();
  expect(Object.keys(readModelSizes([{ spec: specOf({ pretrained: "owner/Tiny" }) }]))).toEqual(["owner/Tiny"]);
  mkdirSync(join(cache, "models--owner--Begun/blobs"), { recursive: true });
  expect(listModels(["/models/used"])).toEqual(["/models/used", "owner/Tiny"]);
  expect(listModels(["owner/Tiny"])).toEqual(["owner/Tiny"]);
  vi.stubEnv("HF_HUB_CACHE", join(cache, "nowhere"));
  expect(listModels([])).toEqual([]);
  vi.unstubAllEnvs();
  rmSync(cache, { recursive: true });
});

it("plans with the 16 bits of weights, as the configuration says where they are not here yet", () => {
  const folder = mkdtempSync(join(tmpdir(), "arlarena-planned-"));
  cpSync(pretrained, folder, { recursive: true });
  const { dtype: _, torch_dtype: __, ...own } = JSON.parse(readFileSync(join(folder, "config.json"), "utf8"));
  const halvesAs = (more: object) => {
    const config = { ...own, max_position_embeddings: 8192, ...more };
    writeFileSync(join(folder, "config.json"), JSON.stringify(config));
    const [facts] = describeModels([specOf({ pretrained: folder, loraRank: 2, contextTokens: 8192 })]);
    return facts?.memory?.halves;
  };
  expect(halvesAs({ dtype: "float32" }), "its files know better").toBe("f16");
  rmSync(join(folder, "model.safetensors"));
  const said = [{ dtype: "bfloat16" }, { torch_dtype: "float16" }, { dtype: "float32" }, {}].map(halvesAs);
  expect(said).toEqual(["bf16", "f16", null, null]);
  rmSync(folder, { recursive: true });
});
