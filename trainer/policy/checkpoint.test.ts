import { mkdtempSync, readFileSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { encodeCheckpoint, readCheckpoint } from "./checkpoint.ts";
import { openTensorFile, writeParts } from "./tensorFile.ts";

const folder = mkdtempSync(join(tmpdir(), "arlarena-checkpoint-"));
afterAll(() => rmSync(folder, { recursive: true }));
const path = join(folder, "file");

const checkpoint = {
  tensors: {
    a: { shape: [2, 2], values: Float32Array.of(1, -0, NaN, Infinity) },
    "layer0/up": { shape: [], values: Float32Array.of(1e-40) },
  },
  metadata: { step: "12" },
};
const bytes = Buffer.concat([...encodeCheckpoint(checkpoint).parts()]);

describe("a checkpoint", () => {
  it("survives the round trip bit by bit", () => {
    writeFileSync(path, bytes);
    expect(readCheckpoint(path)).toEqual(checkpoint);
  });

  it("is laid out as safetensors has it", () => {
    const size = Number(bytes.readBigUInt64LE());
    expect(size % 8).toBe(0);
    expect(JSON.parse(bytes.toString("utf8", 8, 8 + size))).toEqual({
      __metadata__: { step: "12" },
      a: { dtype: "F32", shape: [2, 2], data_offsets: [0, 16] },
      "layer0/up": { dtype: "F32", shape: [], data_offsets: [16, 20] },
    });
    expect([bytes.length, encodeCheckpoint(checkpoint).numBytes]).toEqual([8 + size + 20, 8 + size + 20]);
  });

  it("is written and read in pieces where a call takes no more, the same to the last bit", () => {
    writeParts(path, encodeCheckpoint(checkpoint).parts(), 7);
    expect(readFileSync(path).equals(bytes)).toBe(true);
    const file = openTensorFile(path, { pieceBytes: 3 });
    const { values } = checkpoint.tensors.a;
    expect(new Float32Array(file.read("a").bytes.buffer)).toEqual(values);
    file.close();
  });

  it("asks for one tensor when the one before is written: never are two of them there for it", () => {
    const asked: string[] = [];
    const make = (name: string) => () => {
      asked.push(name);
      return Float32Array.of(1, 2);
    };
    const tensors = { a: { shape: [2], values: make("a") }, b: { shape: [2], values: make("b") } };
    const parts = encodeCheckpoint({ tensors, metadata: {} }).parts()[Symbol.iterator]();
    const askedBefore = [0, 1, 2].map(() => (parts.next(), asked.join()));
    expect(askedBefore).toEqual(["", "a", "a,b"]);
  });

  it("refuses values that do not fit their shape", () => {
    const tensors = { a: { shape: [3], values: new Float32Array(2) } };
    expect(() => [...encodeCheckpoint({ tensors, metadata: {} }).parts()]).toThrow('"a" has 2 values for shape (3)');
  });
});

describe("a file of tensors", () => {
  const read = (content: Uint8Array | string) => () => {
    writeFileSync(path, content);
    return readCheckpoint(path);
  };
  const withHeader = (header: string): Buffer => {
    const length = Buffer.alloc(8);
    length.writeBigUInt64LE(BigInt(header.length));
    return Buffer.concat([length, Buffer.from(header), Buffer.alloc(8)]);
  };
  const entry = (more: object): Buffer =>
    withHeader(JSON.stringify({ a: { dtype: "F32", shape: [2], data_offsets: [0, 8], ...more } }));

  it("is refused with what is wrong with it", () => {
    expect(read("abc")).toThrow("file: it ends after 3 bytes, 8 were expected");
    expect(read(bytes.subarray(0, 40))).toThrow("file: it is not a safetensors file, with a header of");
    expect(read(withHeader("[1]"))).toThrow(
      "file: it is not a safetensors file, because its header is not a JSON object",
    );
    expect(read(entry({ shape: [3] }))).toThrow('file: tensor "a" has 8 bytes, its shape needs 12');
    expect(read(entry({ shape: [-2] }))).toThrow('file: tensor "a" cannot be read');
    expect(read(entry({ dtype: "I64" }))).toThrow('file: tensor "a" is I64');
    expect(read(entry({ dtype: "F16", shape: [4] }))).toThrow('file: tensor "a" is not F32');
    expect(read(entry({ data_offsets: [4, 12] }))).toThrow(/file: it ends after \d+ bytes, \d+ were expected/);
  });

  it("that ends early is read up to there", () => {
    writeFileSync(path, bytes);
    truncateSync(path, bytes.length - 1);
    const file = openTensorFile(path);
    expect(file.read("a").bytes).toHaveLength(16);
    expect(() => file.read("layer0/up")).toThrow(`it ends after ${bytes.length - 1} bytes, ${bytes.length} were`);
    file.close();
  });
});
