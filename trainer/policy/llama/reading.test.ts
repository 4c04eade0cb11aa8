import { cpSync, mkdtempSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { fromHalf } from "#trainer/graph/tensor.ts";
import { encodeCheckpoint } from "../checkpoint.ts";
import { writeParts } from "../tensorFile.ts";
import { rotaryFrequencies } from "./pieces.ts";
import { parseModelConfig, readModelConfig } from "./readModel.ts";
import { openTensorFiles } from "./safetensors.ts";
import { readWeights } from "./weights.ts";

const models = join(import.meta.dirname, "testing/models");
const home = mkdtempSync(join(tmpdir(), "arlarena-reading-"));
afterAll(() => rmSync(home, { recursive: true }));

/** Copies one of the models, so that a test can corrupt it. */
function copyOf(name: string, to: string): string {
  const folder = join(home, to);
  cpSync(join(models, name), folder, { recursive: true });
  return folder;
}

const configOf = (name: string): Record<string, unknown> =>
  JSON.parse(readFileSync(join(models, name, "config.json"), "utf8"));

describe("the configuration of a model", () => {
  it("is read as transformers 5 writes it and as it was written before", () => {
    const { rope_parameters: rotary, ...rest } = configOf("llama");
    const { rope_theta, ...scaling } = Object(rotary);
    const before = { ...rest, rope_theta, rope_scaling: scaling };
    expect(parseModelConfig(before, "c")).toEqual(parseModelConfig(configOf("llama"), "c"));
  });

  it.each([
    ["another family", { model_type: "gpt2" }, /model_type/],
    ["another activation", { hidden_act: "gelu" }, /hidden_act/],
    ["attention that looks back a window only", { use_sliding_window: true }, /use_sliding_window/],
    ["layers that look back a window", { layer_types: ["full_attention", "sliding_attention"] }, /layer_types/],
    [
      "positions that differ from layer to layer",
      { rope_parameters: { full_attention: { rope_theta: 1e6 }, sliding_attention: { rope_theta: 1e4 } } },
      /positions that differ from layer to layer are not supported/,
    ],
    ["heads that turn in part", { rope_parameters: { rope_theta: 1e4, partial_rotary_factor: 0.5 } }, /partial_rotary/],
    ["other positions", { rope_parameters: { rope_type: "yarn", rope_theta: 1e4, factor: 4 } }, /rope_type/],
    ["positions that lack a number", { rope_parameters: { rope_type: "linear" } }, /linear need factor/],
    ["quantized weights", { quantization_config: { bits: 4 } }, /quantized weights are not supported/],
    ["heads that cannot be shared", { num_key_value_heads: 3 }, /4 attention heads cannot share 3/],
    ["a missing size", { hidden_size: undefined }, /hidden_size/],
  ])("refuses %s", (_, change, message) => {
    expect(() => parseModelConfig({ ...configOf("llama"), ...change }, "config.json")).toThrow(message);
  });

  it("gives a context that the model was made for", () => {
    expect(readModelConfig(join(models, "qwen3")).contextTokens).toBe(128);
    expect(() => readModelConfig(join(models, "qwen3"), 129)).toThrow(
      "policy.contextTokens: is 129, must be at most 128",
    );
    expect(() => readModelConfig("/nowhere")).toThrow("cannot read /nowhere/config.json");
  });
});

describe("the weights of a model", () => {
  it("are refused with file, tensor and both shapes where one has another shape", () => {
    const folder = copyOf("qwen3", "shape");
    writeFileSync(join(folder, "config.json"), JSON.stringify({ ...configOf("qwen3"), vocab_size: 31 }));
    expect(() => readWeights(folder, readModelConfig(folder))).toThrow(
      /shape\/model\.safetensors: tensor "model\.embed_tokens\.weight" has shape \(32, 16\), expected \(31, 16\)/,
    );
  });

  it("are refused where a tensor is missing, or is one that the configuration does not name", () => {
    const folder = copyOf("qwen2", "missing");
    const { tie_word_embeddings: _, ...untied } = configOf("qwen2");
    writeFileSync(join(folder, "config.json"), JSON.stringify(untied));
    expect(() => readWeights(folder, readModelConfig(folder))).toThrow('no tensor "lm_head.weight"');
    writeFileSync(join(folder, "config.json"), JSON.stringify({ ...configOf("qwen2"), model_type: "llama" }));
    expect(() => readWeights(folder, readModelConfig(folder))).toThrow(/has no tensor "model\.layers\.0\.\S+\.bias"/);
  });

  it("are refused where a file is cut off, no safetensors file, or of a type that we do not read", () => {
    const cut = copyOf("llama", "cut");
    const part = join(cut, "model-00002-of-00002.safetensors");
    const { size } = statSync(part);
    truncateSync(part, size - 100);
    expect(() => readWeights(cut, readModelConfig(cut))).toThrow(
      /model-00002-of-00002\.safetensors: it ends after \d+ bytes, \d+ were expected/,
    );
    writeFileSync(part, "no such thing as tensors");
    expect(() => openTensorFiles(cut)).toThrow("is not a safetensors file");
    const other = copyOf("qwen3", "type");
    const bytes = readFileSync(join(other, "model.safetensors")).toString("latin1").replace('"F16"', '"I16"');
    writeFileSync(join(other, "model.safetensors"), Buffer.from(bytes, "latin1"));
    expect(() => readWeights(other, readModelConfig(other))).toThrow("is I16; supported are F32, F16 and BF16");
    expect(() => openTensorFiles(home)).toThrow("has neither model.safetensors nor model.safetensors.index.json");
  });

  it("leave the folder of an index alone: it names files, not paths", () => {
    const folder = copyOf("llama", "index");
    const index = { weight_map: { "model.norm.weight": "../secret" } };
    writeFileSync(join(folder, "model.safetensors.index.json"), JSON.stringify(index));
    expect(() => openTensorFiles(folder)).toThrow("weight_map");
  });

  it("may have tensors that follow from the configuration beside them", () => {
    const folder = copyOf("qwen2", "spare");
    const config = readModelConfig(folder);
    const plain = readWeights(folder, config);
    const spare = { shape: [2], values: Float32Array.of(1, 2) };
    const tensors = { "model.layers.0.self_attn.rotary_emb.inv_freq": spare };
    writeParts(join(folder, "more.safetensors"), encodeCheckpoint({ tensors, metadata: {} }).parts());
    const files = openTensorFiles(folder);
    const places = files.names.map((name) => [name, "model.safetensors"] as const);
    files.close();
    const weight_map = { ...Object.fromEntries(places), [Object.keys(tensors)[0] ?? ""]: "more.safetensors" };
    writeFileSync(join(folder, "model.safetensors.index.json"), JSON.stringify({ weight_map }));
    cpSync(join(folder, "model.safetensors"), join(folder, "first.safetensors"));
    rmSync(join(folder, "model.safetensors"));
    const moved = JSON.stringify({ weight_map }).replaceAll("model.safetensors", "first.safetensors");
    writeFileSync(join(folder, "model.safetensors.index.json"), moved);
    expect(readWeights(folder, config)).toEqual(plain);
  });
});

it("reads half precision exactly: zero, subnormal, one, the greatest, infinity, not a number", () => {
  const bits = [0x0000, 0x8000, 0x0001, 0x03ff, 0x3c00, 0xc000, 0x3555, 0x7bff, 0x7c00, 0xfc00];
  const values = [0, -0, 2 ** -24, 1023 * 2 ** -24, 1, -2, 1365 * 2 ** -12, 65504, Infinity, -Infinity];
  expect(bits.map(fromHalf)).toEqual(values);
  expect(fromHalf(0x7e00)).toBeNaN();
});

it("stretches slow angles alone for Llama 3, and joins both parts without a jump", () => {
  const base = 500_000;
  const scaling = {
    kind: "llama3",
    factor: 8,
    lowFrequencyFactor: 1,
    highFrequencyFactor: 4,
    originalTokens: 8192,
  } as const;
  const frequencies = rotaryFrequencies({ headWidth: 128, rotary: { base, scaling } });
  const plain = rotaryFrequencies({ headWidth: 128, rotary: { base, scaling: { kind: "default" } } });
  const ratios = [...frequencies].map((x, i) => x / (plain[i] ?? NaN));
  expect(ratios[0]).toBe(1);
  expect(ratios.at(-1)).toBeCloseTo(1 / 8, 6);
  for (const [i, ratio] of ratios.entries()) expect(ratio).toBeLessThanOrEqual((ratios[i - 1] ?? 1) + 1e-6);
  expect(ratios.filter((ratio) => ratio > 1 / 8 + 1e-6 && ratio < 1 - 1e-6).length).toBeGreaterThan(3);
});
