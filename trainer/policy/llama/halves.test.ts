import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { gradients, inputsFirst } from "#trainer/graph/backward.ts";
import { input, mul, sum } from "#trainer/graph/ops.ts";
import type { Tensor } from "#trainer/graph/tensor.ts";
import { split } from "#trainer/spec/rng.ts";
import type { LlamaConfig } from "../config.ts";
import { makeSampler } from "../decode.ts";
import { makeGradientSession } from "../gradientSession.ts";
import {
  frozenBytes,
  inSingle,
  learningInputs,
  numFrozen,
  parameterInputs,
  type FrozenParameters,
} from "../parameters.ts";
import { toLogits, transformer } from "../transformer.ts";
import { makeLora } from "./lora.ts";
import { readModelConfig } from "./readModel.ts";
import { findHalves, readFrozen, readWeights } from "./weights.ts";

const models = join(import.meta.dirname, "testing/models");
const shape = [2, 24] as const;
const tokens = Int32Array.from({ length: 48 }, (_, i) => (7 * i) % 32);
const lora = { rank: 2, alpha: 4, targets: ["query", "down"] } as const;

describe.each([
  ["qwen2", "bf16"],
  ["qwen3", "f16"],
] as const)("%s, whose files have %s", (name, format) => {
  const folder = join(models, name);
  const single: LlamaConfig = { ...readModelConfig(folder, 96), lora };
  const config: LlamaConfig = { ...single, halves: format };
  const weights = readWeights(folder, single);
  const frozen = readFrozen(folder, config);
  const rng = split(1, "adapters");
  const adapters = Object.fromEntries(
    Object.entries(makeLora(config, lora, rng)).map(([key, values]) => [
      key,
      values.map((x) => x + 0.1 * rng.normal()),
    ]),
  );

  it("is held in their bits, but for vectors and the table of the output layer", () => {
    expect(findHalves(folder, single)).toBe(format);
    for (const [key, values] of Object.entries(frozen)) {
      expect(inSingle(values, config), key).toEqual(weights[key]);
      const isLayers = /^layer\d+\/(query|key|value|out|gate|up|down)$/.test(key);
      const isLookedUp = key === "embedding" && !config.architecture.isTied;
      expect(values instanceof Uint16Array, key).toBe(isLayers || isLookedUp);
    }
    expect(frozenBytes(single)).toBe(4 * numFrozen(single));
    const halved = Object.values(frozen).filter((values) => values instanceof Uint16Array);
    expect(frozenBytes(single) - frozenBytes(config)).toBe(halved.reduce((bytes, { length }) => bytes + 2 * length, 0));
    expect(() => inSingle(new Uint16Array(16), single)).toThrow("without a format");
  });

  it("has the loss and gradients of single precision to the last digit, layers computed a second time or not", async () => {
    for (const repeats of [false, true]) {
      const [expected, found] = [await pass(single, weights, repeats), await pass(config, frozen, repeats)];
      expect(found).toEqual(expected);
      expect(Object.values(found.gradients).every((values) => values.some((x) => Math.abs(x) > 1e-6))).toBe(true);
    }
  });

  it("makes nothing of them that waits from the forward to the backward pass", () => {
    for (const repeats of [false, true]) {
      const { loss, wrt, kept } = lossOf(config, repeats);
      const before = new Set(inputsFirst([loss]));
      const after = inputsFirst(gradients(loss, Object.values(wrt), kept)).filter((node) => !before.has(node));
      const read = after.flatMap(({ inputs }) => inputs).filter(isWeight);
      expect(read.length).toBeGreaterThan(5);
      expect(read.filter((node) => before.has(node))).toEqual([]);
    }
  });

  it("writes the same tokens with the same probabilities", async () => {
    const prompts = [tokens.slice(0, 9), tokens.slice(0, 5)];
    const written = async (of: LlamaConfig, values: FrozenParameters) => {
      const limits = { batch: 4, maxPromptTokens: 16, maxResponseTokens: 32 };
      const sampler = makeSampler(of, limits, { frozen: () => Promise.resolve(values) });
      const rngs = prompts.map((_, i) => split(3, i));
      const rows = await sampler.sample({ parameters: adapters, prompts, rngs, stopTokens: [], temperature: 1 });
      await sampler.close();
      return rows;
    };
    expect(await written(config, frozen)).toEqual(await written(single, weights));
  });

  function lossOf(of: LlamaConfig, repeats: boolean) {
    const inputs = parameterInputs(of);
    const network = { parameters: inputs, config: of };
    const { hidden, residuals } = transformer(network, input("tokens", shape, "i64"));
    const loss = sum(mul(toLogits(network, hidden), input("weights", [...shape, 32])));
    return { loss, wrt: learningInputs(inputs, of), outputs: {}, kept: repeats ? residuals : [] };
  }

  async function pass(of: LlamaConfig, values: FrozenParameters, repeats: boolean) {
    const session = await makeGradientSession(lossOf(of, repeats), { frozen: () => Promise.resolve(values) });
    const result = await session.run({
      ...adapters,
      tokens,
      weights: new Float32Array(48 * 32).map((_, i) => Math.sin(i)),
    });
    await session.close();
    return result;
  }
});

/** True for weights that are converted to single precision, except rows looked up in the embedding. */
function isWeight({ kind, inputs: [bits] }: Tensor): boolean {
  return kind === "widen" && bits?.kind !== "gather";
}

it("has no format where files are in single precision", () => {
  const folder = join(models, "llama");
  expect(findHalves(folder, readModelConfig(folder))).toBeUndefined();
  const config = { ...readModelConfig(join(models, "qwen3")), lora, halves: "f16" } as const;
  expect(() => readFrozen(folder, { ...config, ...readModelConfig(folder) })).toThrow(
    "is F32, expected 16 bits per value",
  );
});
