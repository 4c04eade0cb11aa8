import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { input, mul, neg, sum } from "#trainer/graph/ops.ts";
import { makeSession } from "#trainer/onnx/session.ts";
import { split } from "#trainer/spec/rng.ts";
import type { LlamaConfig, LoraConfig } from "../config.ts";
import { makeGradientSession } from "../gradientSession.ts";
import { learningInputs, numFrozen, numParameters, parameterInputs } from "../parameters.ts";
import { tokenLogProbs, transformerLogits } from "../transformer.ts";
import { makeLora, mergeLora } from "./lora.ts";
import { readModelConfig } from "./readModel.ts";
import { llamaShapes } from "./shapes.ts";
import { readWeights, valuesOf } from "./weights.ts";

const folder = join(import.meta.dirname, "testing/models/qwen2");
const plain = readModelConfig(folder, 64);
const weights = readWeights(folder, plain);
const lora: LoraConfig = { rank: 3, alpha: 6, targets: ["query", "value", "out", "gate", "down"] };
const config = { ...plain, lora };
const scale = lora.alpha / lora.rank;
const rng = split(1, "lora");
const fresh = makeLora(config, lora, rng);
const moved = Object.fromEntries(
  Object.entries(fresh).map(([name, values]) => [name, values.map((x) => x + 0.1 * rng.normal())]),
);
const shape = [2, 9] as const;
const tokens = Int32Array.from({ length: 18 }, () => rng.int(32));
const targets = Int32Array.from({ length: 18 }, () => rng.int(32));

function merge(of: LlamaConfig & { lora: LoraConfig }, adapters: Record<string, Float32Array>) {
  const values = mergeLora(of, valuesOf(weights), adapters);
  return Object.fromEntries(Object.keys(weights).map((name) => [name, values(name)]));
}

async function logitsOf(of: LlamaConfig, parameters: Record<string, Float32Array>) {
  const logits = transformerLogits(parameterInputs(of), input("tokens", shape, "i64"), of);
  const session = await makeSession({ logits }, { frozen: () => Promise.resolve(weights) });
  const result = await session.run({ ...parameters, tokens });
  await session.close();
  return [...result.logits];
}

async function gradientsOf(of: LlamaConfig, parameters: Record<string, Float32Array>) {
  const inputs = parameterInputs(of);
  const logits = transformerLogits(inputs, input("tokens", shape, "i64"), of);
  const loss = mul(neg(sum(tokenLogProbs(logits, input("targets", shape, "i64")).logProbs)), 1 / 18);
  const session = await makeGradientSession(
    { loss, wrt: learningInputs(inputs, of), outputs: {} },
    { frozen: () => Promise.resolve(weights) },
  );
  const { gradients } = await session.run({ ...parameters, tokens, targets });
  await session.close();
  return gradients;
}

describe("adapters", () => {
  it("start as the model itself", async () => {
    expect(await logitsOf(config, fresh)).toEqual((await logitsOf(plain, {})).map((x) => expect.closeTo(x, 5)));
  });

  it("compute what the merged weights compute", async () => {
    const merged = await logitsOf(plain, merge(config, moved));
    expect(await logitsOf(config, moved)).toEqual(merged.map((x) => expect.closeTo(x, 4)));
    const before = await logitsOf(plain, {});
    expect(merged.some((x, i) => Math.abs(x - (before[i] ?? NaN)) > 0.1)).toBe(true);
  });

  it("are merged with every bit of the sums as they are written out, and weights without any are not copied", () => {
    const values = mergeLora(config, valuesOf(weights), moved);
    expect(values("layer0/key")).toBe(weights["layer0/key"]);
    for (const target of lora.targets) {
      const name = `layer1/${target}`;
      const [, outputs = 0] = llamaShapes(plain)[name] ?? [];
      const [a, b] = [moved[`${name}LoraA`] ?? [], moved[`${name}LoraB`] ?? []];
      const expected = weights[name]?.map((x, at) => {
        const [i, j] = [Math.floor(at / outputs), at % outputs];
        let sum = 0;
        for (let r = 0; r < lora.rank; r++) sum += (a[i * lora.rank + r] ?? NaN) * (b[r * outputs + j] ?? NaN);
        return x + scale * sum;
      });
      expect(values(name), name).toEqual(expected);
    }
  });

  it("have the gradients that follow from those of the merged weights: α/r·Aᵀ·G and α/r·G·Bᵀ", async () => {
    const own = await gradientsOf(config, moved);
    const whole = await gradientsOf(plain, merge(config, moved));
    expect(Object.keys(own)).toEqual(Object.keys(fresh));
    for (const [name, gradient] of Object.entries(own)) {
      const matrix = name.slice(0, -"LoraA".length);
      const [inputs = 0, outputs = 0] = llamaShapes(plain)[matrix] ?? [];
      const [g, a, b] = [whole[matrix], moved[`${matrix}LoraA`], moved[`${matrix}LoraB`]].map(
        (x) => x ?? weights["none"],
      );
      const at = (x: Float32Array | undefined, i: number): number => x?.[i] ?? NaN;
      const expected = name.endsWith("LoraA")
        ? product(
            [inputs, outputs, lora.rank],
            (i, j) => at(g, i * outputs + j),
            (j, r) => at(b, r * outputs + j),
          )
        : product(
            [lora.rank, inputs, outputs],
            (r, i) => at(a, i * lora.rank + r),
            (i, j) => at(g, i * outputs + j),
          );
      expect([...gradient], name).toEqual(expected.map((x) => expect.closeTo(scale * x, 4)));
      expect(
        gradient.some((x) => Math.abs(x) > 1e-3),
        name,
      ).toBe(true);
    }
  });

  it("are all that learns", () => {
    const perLayer = 3 * (16 + 16 + (16 + 8) + (16 + 16) + (16 + 20) + (20 + 16));
    expect(numParameters(config)).toBe(2 * perLayer);
    expect(numFrozen(config)).toBe(numParameters(plain));
    expect(numFrozen(plain)).toBe(0);
  });
});

/** Matrix product (n, k)·(k, m), computed with explicit loops. */
function product(
  [n, k, m]: readonly [number, number, number],
  left: (i: number, j: number) => number,
  right: (i: number, j: number) => number,
): number[] {
  return Array.from({ length: n * m }, (_, at) => {
    const [row, column] = [Math.floor(at / m), at % m];
    return Array.from({ length: k }, (_, j) => left(row, j) * right(j, column)).reduce((total, x) => total + x, 0);
  });
}
