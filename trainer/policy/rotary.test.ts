import { describe, expect, it } from "vitest";
import { interpret } from "#trainer/graph/testing/interpret.ts";
import { constant, input, matmul, neg, transpose } from "#trainer/graph/ops.ts";
import { maskedMean } from "#trainer/graph/testing/maskedMean.ts";
import { split } from "#trainer/spec/rng.ts";
import { makeGradientSession } from "./gradientSession.ts";
import { makeParameters, parameterInputs } from "./parameters.ts";
import { plainTables, rotate } from "./rotary.ts";
import { selectionInputs, tokenLogProbs, transformer, toLogits, transformerLogits } from "./transformer.ts";

const rng = split(1, "rotary");
const [numTokens, width] = [6, 4];
const vectors = (): Float32Array => Float32Array.from({ length: numTokens * width }, () => rng.normal());
const [q, k] = [vectors(), vectors()];
const tensor = (values: Float32Array) => constant(values, [1, 1, numTokens, width]);

describe("rotary positions", () => {
  it("turn each pair by its own angle, written out", () => {
    const [turned = []] = interpret([rotate(tensor(q), plainTables(numTokens, width))], {});
    for (let t = 0; t < numTokens; t++) {
      for (let i = 0; i < width / 2; i++) {
        const angle = t * 10_000 ** (-i / (width / 2));
        const [x, y] = [q[t * width + i] ?? NaN, q[t * width + i + width / 2] ?? NaN];
        expect(turned[t * width + i]).toBeCloseTo(x * Math.cos(angle) - y * Math.sin(angle), 5);
        expect(turned[t * width + i + width / 2]).toBeCloseTo(x * Math.sin(angle) + y * Math.cos(angle), 5);
      }
    }
  });

  it("leave products that depend on distances alone", () => {
    const positions = input("positions", [1, numTokens], "i64");
    const scores = matmul(
      rotate(tensor(q), plainTables(32, width), positions),
      transpose(rotate(tensor(k), plainTables(32, width), positions)),
    );
    const at = (shift: number): number[] => [
      ...(interpret([scores], { positions: Int32Array.from({ length: numTokens }, (_, t) => t + shift) })[0] ?? []),
    ];
    const [here, there] = [at(0), at(20)];
    expect(there).toEqual(here.map((x) => expect.closeTo(x, 4)));
  });

  it("have the gradient that finite differences of the policy's loss give", async () => {
    const config = { size: "nano", vocabularySize: 11, contextTokens: 16, positions: "rotary" } as const;
    const parameters = makeParameters(config, split(2, "parameters"));
    expect(Object.keys(parameters)).not.toContain("positions");
    const wrt = parameterInputs(config);
    const logits = transformerLogits(wrt, input("tokens", [1, 6], "i64"), config);
    const { logProbs } = tokenLogProbs(logits, input("targets", [1, 6], "i64"));
    const feeds = {
      ...parameters,
      tokens: Int32Array.of(1, 2, 3, 4, 5, 6),
      targets: Int32Array.of(2, 3, 4, 5, 6, 7),
      mask: new Float32Array(6).fill(1),
    };
    const loss = neg(maskedMean(logProbs, input("mask", [1, 6])));
    const session = await makeGradientSession({ loss, wrt, outputs: {} });
    const { gradients } = await session.run(feeds);
    await session.close();
    const name = "layer0/qkv";
    const values = parameters[name] ?? new Float32Array();
    const own = gradients[name] ?? new Float32Array();
    const largest = own.reduce((best, x, i) => (Math.abs(x) > Math.abs(own[best] ?? 0) ? i : best), 0);
    const lossAt = (x: number): number =>
      interpret([loss], {
        ...feeds,
        [name]: Float64Array.from(values).with(largest, (values[largest] ?? NaN) + x),
      })[0]?.[0] ?? NaN;
    expect(own[largest]).toBeCloseTo((lossAt(1e-5) - lossAt(-1e-5)) / 2e-5, 4);
  });

  it("are the same for selected tokens as for all", () => {
    const config = { size: "nano", vocabularySize: 11, contextTokens: 16, positions: "rotary" } as const;
    const parameters = makeParameters(config, split(3, "parameters"));
    const tokens = input("tokens", [1, 6], "i64");
    const whole = transformerLogits(parameterInputs(config), tokens, config);
    const network = { parameters: parameterInputs(config), config };
    const some = toLogits(network, transformer(network, tokens, selectionInputs(1, 2)).hidden);
    const feeds = {
      ...parameters,
      tokens: Int32Array.of(1, 2, 3, 4, 5, 6),
      selectedPositions: Int32Array.of(2, 5),
      selectedIndices: Int32Array.of(2, 5),
    };
    const [all = [], picked = []] = interpret([whole, some], feeds);
    const expected = [...all.slice(2 * 11, 3 * 11), ...all.slice(5 * 11, 6 * 11)];
    expect([...picked]).toEqual(expected.map((x) => expect.closeTo(x, 5)));
  });
});
