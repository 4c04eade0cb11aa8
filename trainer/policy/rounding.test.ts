import { describe, expect, it } from "vitest";
import { split } from "#trainer/spec/rng.ts";
import type { PolicyConfig } from "./config.ts";
import { makeParameters } from "./parameters.ts";
import { roundMatrix, roundParameters, toBfloat16, toE4m3 } from "./rounding.ts";

/** Conversions by PyTorch: each value to bfloat16 and back, and to float8_e4m3fn (after clamping to ±448) and back. */
const casts: readonly [value: number, bf16: number, e4m3: number][] = [
  [0, 0, 0],
  [1, 1, 1],
  [-1, -1, -1],
  [0.10000000149011612, 0.10009765625, 0.1015625],
  [-0.3333333432674408, -0.333984375, -0.34375],
  [1.00390625, 1, 1],
  [1.01171875, 1.015625, 1],
  [3.1415927410125732, 3.140625, 3.25],
  [0.0009765625, 0.0009765625, 0],
  [0.001500000013038516, 0.00150299072265625, 0.001953125],
  [0.013000000268220901, 0.01300048828125, 0.013671875],
  [-0.017000000923871994, -0.0169677734375, -0.017578125],
  [2.5, 2.5, 2.5],
  [17, 17, 16],
  [0.49000000953674316, 0.490234375, 0.5],
  [447, 448, 448],
  [460, 460, 448],
  [465, 464, 448],
  [-600, -600, -448],
  [5.999999848427251e-5, 6.008148193359375e-5, 0],
];

describe("single values, as PyTorch casts them", () => {
  it.each(casts)("%d is %d in bf16 and %d in e4m3", (value, bf16, e4m3) => {
    expect(toBfloat16(Float32Array.of(value))[0]).toBe(bf16);
    expect(toE4m3(value)).toBe(e4m3);
  });

  it("what is not finite stays so in bf16", () => {
    expect([...toBfloat16(Float32Array.of(NaN, Infinity, -Infinity))]).toEqual([NaN, Infinity, -Infinity]);
  });
});

const matrix = [0.31, -0.02, 0.07, 0.5, 0.001, 0.0004, -0.0031, 0.002, 0, 0, 0, 0];
/** Reference values from PyTorch, with one scale per row or one scale for the whole matrix. */
const scaledMatrices = {
  int8: [
    [0.31102362275123596, -0.019685039296746254, 0.07086613774299622, 0.5],
    [0.0010007874807342887, 0.0003905511985067278, -0.003100000089034438, 0.0020015749614685774],
    [0, 0, 0, 0],
  ],
  "fp8-e4m3": [
    [0.3214285969734192, -0.0200892873108387, 0.0714285746216774, 0.5],
    [0.0009964285418391228, 0.00038750001112930477, -0.003100000089034438, 0.0019928570836782455],
    [0, 0, 0, 0],
  ],
  "fp8-e4m3-tensor": [
    [0.3214285969734192, -0.0200892873108387, 0.0714285746216774, 0.5],
    [0.0009765625, 0.0003836495743598789, -0.003069196594879031, 0.001953125],
    [0, 0, 0, 0],
  ],
} as const;

it.each(["int8", "fp8-e4m3", "fp8-e4m3-tensor"] as const)("a matrix in %s, to the last bit", (precision) => {
  const rounded = roundMatrix(Float32Array.from(matrix), precision, (at) => Math.floor(at / 4));
  // The signs of zeros are not specified, so they are removed.
  expect(Array.from(rounded, (x) => x + 0)).toEqual(scaledMatrices[precision].flat());
});

describe("the parameters of a policy", () => {
  const config: PolicyConfig = { size: "nano", vocabularySize: 40, contextTokens: 16, positions: "learned" };
  const parameters = makeParameters(config, split(1, "parameters"));

  it("in float32 are the same arrays", () => {
    expect(roundParameters(parameters, config, "float32")).toBe(parameters);
  });

  it.each(["bf16", "fp8-e4m3", "fp8-e4m3-tensor", "int8"] as const)(
    "in %s: every matrix changes by less than a step of the format, embeddings stay, and rounding again changes nothing",
    (precision) => {
      const rounded = roundParameters(parameters, config, precision);
      const share = { bf16: 2 ** -8, "fp8-e4m3": 2 ** -4, "fp8-e4m3-tensor": 2 ** -4, int8: 1 / 254 }[precision];
      for (const [name, values] of Object.entries(parameters)) {
        const after = rounded[name] ?? new Float32Array();
        if (!name.startsWith("layer")) {
          expect(after).toBe(values);
          continue;
        }
        expect(after).not.toEqual(values);
        const most = values.reduce((largest, x) => Math.max(largest, Math.abs(x)), 0);
        expect(values.every((x, at) => Math.abs(x - (after[at] ?? NaN)) <= most * share)).toBe(true);
      }
      const twice = roundParameters(rounded, config, precision);
      for (const [name, values] of Object.entries(rounded)) {
        const drift = values.reduce((most, x, at) => Math.max(most, Math.abs(x - (twice[name]?.[at] ?? NaN))), 0);
        expect(drift).toBeLessThan(1e-7);
      }
    },
  );

  it("scales an output channel by its own column", () => {
    const lone = { ...parameters, "layer0/out": (parameters["layer0/out"] ?? new Float32Array()).slice() };
    lone["layer0/out"][3] = 1000; // Row 0, output channel 3.
    const [before, after] = [parameters, lone].map((of) => roundParameters(of, config, "int8")["layer0/out"] ?? []);
    const changed = new Set([...(before ?? [])].flatMap((x, at) => (x === after?.[at] ? [] : [at % 64])));
    expect([...changed]).toEqual([3]);
  });
});
