import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { add, input, mul, neg, scalar, slice, sum } from "#trainer/graph/ops.ts";
import type { Tensor } from "#trainer/graph/tensor.ts";
import { split } from "#trainer/spec/rng.ts";
import { readCheckpoint } from "../checkpoint.ts";
import { makeSampler } from "../decode.ts";
import { makeGradientSession } from "../gradientSession.ts";
import { parameterInputs } from "../parameters.ts";
import { selectionInputs, tokenLogProbs, toLogits, transformer, transformerLogits } from "../transformer.ts";
import { readModelConfig } from "./readModel.ts";
import { readWeights, toTensors, valuesOf } from "./weights.ts";

const models = join(import.meta.dirname, "testing/models");
const tolerance = 1e-4;
const vocabularySize = 32;

describe.each(["llama", "llamaBiased", "qwen2", "qwen3"])("%s", (name) => {
  const folder = join(models, name);
  const config = readModelConfig(folder, 96);
  const parameters = readWeights(folder, config);
  const { tensors: expected } = readCheckpoint(join(folder, "expected.safetensors"));
  const tokens = Int32Array.from(expected["tokens"]?.values ?? []);
  const shape = [2, 24] as const;

  it("has PyTorch's logits, loss and gradient of every parameter", async () => {
    const wrt = parameterInputs(config);
    const logits = transformerLogits(wrt, input("tokens", shape, "i64"), config);
    const { logProbs } = tokenLogProbs(slice(logits, 1, [0, 23]), input("targets", [2, 23], "i64"));
    const loss = mul(neg(sum(logProbs)), 1 / 46);
    const session = await makeGradientSession({ loss, wrt, outputs: { logits } });
    const targets = Int32Array.of(...tokens.subarray(1, 24), ...tokens.subarray(25));
    const result = await session.run({ ...parameters, tokens, targets });
    await session.close();
    expect(differenceOf(result.outputs.logits, expected["logits"]?.values)).toBeLessThan(tolerance);
    expect(Math.abs(result.loss - (expected["loss"]?.values[0] ?? NaN))).toBeLessThan(tolerance);
    const gradients = Object.entries(toTensors(config, valuesOf(result.gradients)));
    expect(gradients.map(([key]) => `gradient/${key}`).toSorted()).toEqual(
      Object.keys(expected)
        .filter((key) => key.startsWith("gradient/"))
        .toSorted(),
    );
    for (const [key, { values }] of gradients) {
      const reference = expected[`gradient/${key}`]?.values;
      expect(
        reference?.some((x) => Math.abs(x) > 1e-3),
        key,
      ).toBe(true);
      expect(differenceOf(typeof values === "function" ? values() : values, reference), key).toBeLessThan(tolerance);
    }
  });

  it("has the same gradients where layers are computed a second time, which ONNX Runtime does not undo", async () => {
    const network = { parameters: parameterInputs(config), config };
    const { hidden, residuals } = transformer(network, input("tokens", shape, "i64"));
    const loss = sum(mul(toLogits(network, hidden), input("weights", [2, 24, vocabularySize])));
    const weights = new Float32Array(2 * 24 * vocabularySize).map((_, i) => Math.sin(i) / 100);
    const pass = async (kept: readonly Tensor[]) => {
      const folder = mkdtempSync(join(tmpdir(), "arlarena-recompute-"));
      const graph = { loss, wrt: network.parameters, outputs: {}, kept };
      const session = await makeGradientSession(graph, { profileFilePrefix: join(folder, "profile") });
      const { gradients } = await session.run({ ...parameters, tokens, weights });
      await session.close();
      const [file = ""] = readdirSync(folder);
      const numSoftmaxes = readFileSync(join(folder, file), "utf8").match(/Softmax_\d+_kernel_time/g)?.length;
      rmSync(folder, { recursive: true });
      return { gradients, numSoftmaxes };
    };
    const [held, recomputed] = [await pass([]), await pass(residuals)];
    expect([held.numSoftmaxes, recomputed.numSoftmaxes]).toEqual([2, 3]);
    for (const [key, values] of Object.entries(held.gradients)) {
      expect(differenceOf(recomputed.gradients[key] ?? values.slice(1), values), key).toBeLessThan(1e-6);
    }
  });

  it("has the same hidden states for selected tokens as for all", async () => {
    const network = { parameters: parameterInputs(config), config };
    const read = input("tokens", shape, "i64");
    const logits = toLogits(network, transformer(network, read, selectionInputs(2, 3)).hidden);
    const session = await makeGradientSession({ loss: add(sum(logits), scalar(0)), wrt: {}, outputs: { logits } });
    const positions = [3, 10, 23, 0, 7, 22];
    const result = await session.run({
      ...parameters,
      tokens,
      selectedPositions: Int32Array.from(positions),
      selectedIndices: Int32Array.from(positions, (position, i) => position + (i < 3 ? 0 : 24)),
    });
    await session.close();
    const all = expected["logits"]?.values ?? new Float32Array();
    const picked = positions.flatMap((position, i) => {
      const at = vocabularySize * (position + (i < 3 ? 0 : 24));
      return Array.from(all.subarray(at, at + vocabularySize));
    });
    expect(differenceOf(result.outputs.logits, Float32Array.from(picked))).toBeLessThan(tolerance);
  });

  it("writes the 64 tokens that transformers writes greedily, from its cache of keys and values", async () => {
    const { prompt, response }: { prompt: number[]; response: number[] } = JSON.parse(
      readFileSync(join(folder, "greedy.json"), "utf8"),
    );
    expect(new Set(response).size).toBeGreaterThan(11);
    const sampler = makeSampler(config, { batch: 4, maxPromptTokens: 16, maxResponseTokens: 64 });
    const prompts = [prompt, prompt.slice(0, 4)].map((row) => Int32Array.from(row));
    const rngs = prompts.map((_, i) => split(1, i));
    const [written] = await sampler.sample({ parameters, prompts, rngs, stopTokens: [], temperature: 0 });
    await sampler.close();
    expect([...(written?.tokens ?? [])]).toEqual(response);
  });
});

function differenceOf(actual: Float32Array, expected: Float32Array | undefined): number {
  if (actual.length !== expected?.length) return NaN;
  return actual.reduce((most, x, i) => Math.max(most, Math.abs(x - (expected[i] ?? NaN))), 0);
}
