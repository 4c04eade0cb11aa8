import { describe, expect, it } from "vitest";
import { decodeCheckpoint, encodeCheckpoint } from "./checkpoint.ts";

const checkpoint = {
  tensors: {
    a: { shape: [2, 2], values: Float32Array.of(1, -0, NaN, Infinity) },
    "layer0/up": { shape: [], values: Float32Array.of(1e-40) },
  },
  metadata: { step: "12" },
};

describe("a checkpoint", () => {
  it("survives the round trip bit by bit, also from an unaligned buffer", () => {
    const bytes = encodeCheckpoint(checkpoint);
    const shifted = new Uint8Array(bytes.length + 1);
    shifted.set(bytes, 1);
    expect(decodeCheckpoint(bytes)).toEqual(checkpoint);
    expect(decodeCheckpoint(shifted.subarray(1))).toEqual(checkpoint);
    expect(decodeCheckpoint(Buffer.from(bytes))).toEqual(checkpoint);
  });

  it("is laid out as safetensors has it", () => {
    const bytes = encodeCheckpoint(checkpoint);
    const size = Number(new DataView(bytes.buffer).getBigUint64(0, true));
    expect(size % 8).toBe(0);
    expect(JSON.parse(new TextDecoder().decode(bytes.subarray(8, 8 + size)))).toEqual({
      __metadata__: { step: "12" },
      a: { dtype: "F32", shape: [2, 2], data_offsets: [0, 16] },
      "layer0/up": { dtype: "F32", shape: [], data_offsets: [16, 20] },
    });
    expect(bytes.length).toBe(8 + size + 20);
  });

  it("says what is wrong with a file", () => {
    const bytes = encodeCheckpoint(checkpoint);
    expect(() => decodeCheckpoint(new Uint8Array(3))).toThrow("not a safetensors file: 3 bytes");
    expect(() => decodeCheckpoint(bytes.subarray(0, 40))).toThrow("torn safetensors file: header");
    expect(() => decodeCheckpoint(bytes.subarray(0, -1))).toThrow('tensor "layer0/up" ends at 20 of 19');
    const wrong = { a: { shape: [3], values: new Float32Array(2) } };
    expect(() => encodeCheckpoint({ tensors: wrong, metadata: {} })).toThrow('"a" has 2 values for shape (3)');
  });
});
