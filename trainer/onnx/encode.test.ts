import { InferenceSession, Tensor } from "onnxruntime-node";
import { expect, it } from "vitest";
import * as ops from "#trainer/graph/ops.ts";
import { encode, outputName } from "./encode.ts";

const x = ops.input("x", [2, 3]);
const outputs = {
  normal: ops.rmsNorm(x, 0.5),
  inverse: ops.inverseRms(x, 0.5),
  twice: ops.mul(ops.inverseRms(x, 0.5), 2),
  logSoftmax: ops.logSoftmax(x),
};

it("says the same in operators of the standard and in those of ONNX Runtime", async () => {
  const feeds = { x: new Tensor("float32", Float32Array.of(1, 2, 3, -4, 0, 4), [2, 3]) };
  const [standard, cpu] = await Promise.all(
    (["standard", "cpu"] as const).map(async (dialect) => {
      const session = await InferenceSession.create(encode(outputs, { dialect }), { logSeverityLevel: 3 });
      const results = await session.run(feeds);
      await session.release();
      return Object.keys(outputs).map((name) => Array.from(results[outputName(name)]?.data ?? [], Number));
    }),
  );
  for (const [i, values] of (standard ?? []).entries()) {
    for (const [j, value] of values.entries()) expect(cpu?.[i]?.[j]).toBeCloseTo(value, 5);
  }
  expect(standard?.[1]?.[0]).toBeCloseTo(1 / Math.sqrt(14 / 3 + 0.5), 6);
  expect(standard?.[2]).toHaveLength(2);
  expect(standard?.[3]?.[0]).toBeCloseTo(-2 - Math.log(1 + Math.exp(-1) + Math.exp(-2)), 6);
});

it("uses no operator outside the standard unless asked to", () => {
  const text = (bytes: Uint8Array): string => Buffer.from(bytes).toString("latin1");
  expect(text(encode(outputs))).not.toContain("SimplifiedLayerNormalization");
  expect(text(encode(outputs))).not.toContain("LogSoftmax");
  expect(text(encode(outputs, { dialect: "cpu" }))).toContain("SimplifiedLayerNormalization");
});

it("leaves large tables of zeros out of the file, and adds rows to them all the same", async () => {
  const rows = ops.input("rows", [3, 1000]);
  const indices = ops.constant([4, 4999, 4], [3], "i64");
  const table = ops.scatterRows(indices, rows, 5000);
  const bytes = encode({ sums: ops.sum(table, 1), some: ops.slice(table, 0, [4, 5]) }, { dialect: "cpu" });
  expect(bytes.length).toBeLessThan(10_000);
  const session = await InferenceSession.create(bytes, { logSeverityLevel: 3 });
  const values = Float32Array.from({ length: 3000 }, (_, i) => Math.floor(i / 1000) + 1);
  const results = await session.run({ rows: new Tensor("float32", values, [3, 1000]) });
  await session.release();
  const sums = Array.from(results[outputName("sums")]?.data ?? [], Number);
  expect(sums.flatMap((x, i) => (x === 0 ? [] : [[i, x]]))).toEqual([
    [4, 4000],
    [4999, 2000],
  ]);
  expect(Array.from(results[outputName("some")]?.data ?? [], Number)).toEqual(Array.from({ length: 1000 }, () => 4));
});

it("computes shapes along axes that only a run knows from those of its inputs, and refuses constants along them", async () => {
  const [rows, columns] = [1009, 1013];
  const freeAxes = [
    { name: "rows", marker: rows, of: ["a", 0] },
    { name: "columns", marker: columns, of: ["a", 1] },
  ] as const;
  const a = ops.input("a", [rows, columns, 2]);
  const flat = ops.mul(ops.reshape(a, [rows * columns * 2]), 3);
  const counted = ops.cumulativeSum(ops.broadcastTo(ops.scalar(1), [2, columns]));
  const bytes = encode({ flat, counted }, { freeAxes });
  const session = await InferenceSession.create(bytes, { logSeverityLevel: 3 });
  for (const [i, j] of [
    [1, 3],
    [4, 2],
  ] as const) {
    const results = await session.run({ a: new Tensor("float32", new Float32Array(2 * i * j).fill(1), [i, j, 2]) });
    expect(Array.from(results[outputName("flat")]?.data ?? [], Number)).toEqual(
      Array.from({ length: 2 * i * j }, () => 3),
    );
    const line = Array.from({ length: j }, (_, k) => k + 1);
    expect(Array.from(results[outputName("counted")]?.data ?? [], Number)).toEqual([...line, ...line]);
  }
  await session.release();
  expect(() => encode({ sum: ops.add(flat, ops.fill(1, [rows * columns * 2])) }, { freeAxes })).toThrow(
    "only a run knows",
  );
});
