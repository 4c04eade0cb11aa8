import { describe, expect, it } from "vitest";
import { interpret, type Values } from "#trainer/graph/testing/interpret.ts";
import * as ops from "#trainer/graph/ops.ts";
import { primitiveCases } from "#trainer/graph/testing/primitiveCases.ts";
import { makeSession, toInt64, type Feeds } from "./session.ts";

describe("ONNX Runtime agrees with the reference evaluator", () => {
  for (const [kind, cases] of Object.entries(primitiveCases)) {
    for (const [i, { output, feeds }] of cases.entries()) {
      it(`${kind} ${i}`, async () => {
        const [expected] = interpret([output], feeds);
        const session = await makeSession({ output });
        const { output: actual } = await session.run(toFeeds(feeds));
        await session.close();
        expect(actual.length).toBe(expected?.length);
        for (const [j, x] of actual.entries()) expect(x).toBeCloseTo(expected?.[j] ?? NaN, 4);
      });
    }
  }
});

const x = ops.input("x", [3]);

it("lets NaN and infinity through", async () => {
  const session = await makeSession({
    most: ops.maximum(x, 0),
    clamped: ops.clamp(x, -1, 1),
    chosen: ops.where(ops.greater(x, 0), x, ops.neg(x)),
    total: ops.sum(ops.relu(x)),
    logs: ops.log(x),
  });
  const results = await session.run({ x: Float32Array.of(NaN, Infinity, 0) });
  await session.close();
  expect([...results.most]).toEqual([NaN, Infinity, 0]);
  expect([...results.clamped]).toEqual([NaN, 1, 0]);
  expect([...results.chosen]).toEqual([NaN, Infinity, -0]);
  expect([...results.total]).toEqual([NaN]);
  expect([...results.logs]).toEqual([NaN, Infinity, -Infinity]);
});

it("gives one node under two names, an input and a constant as outputs", async () => {
  const y = ops.exp(x);
  const session = await makeSession({ a: y, b: ops.exp(x), x, two: ops.constant([2, 2], [2]) });
  const results = await session.run({ x: Float32Array.of(0, 0, 1) });
  await session.close();
  expect(results.a).toEqual(results.b);
  expect([...results.x]).toEqual([0, 0, 1]);
  expect([...results.two]).toEqual([2, 2]);
});

it("takes integer inputs as Int32Array or BigInt64Array", async () => {
  const session = await makeSession({ y: ops.gather(x, ops.input("indices", [2], "i64")) });
  const feeds = { x: Float32Array.of(1, 2, 3) };
  expect([...(await session.run({ ...feeds, indices: Int32Array.of(2, -3) })).y]).toEqual([3, 1]);
  expect([...(await session.run({ ...feeds, indices: BigInt64Array.of(1n, 0n) })).y]).toEqual([2, 1]);
  await expect(session.run({ indices: Int32Array.of(0, 0) })).rejects.toThrow('no value for input "x"');
  await session.close();
  expect([...toInt64(Int32Array.of(-1, 2 ** 31 - 1))]).toEqual([-1n, 2147483647n]);
});

it("refuses two different inputs of one name", async () => {
  const outputs = { y: ops.gather(x, ops.input("x", [2], "i64")) };
  await expect(makeSession(outputs)).rejects.toThrow('input "x" is both');
});

function toFeeds(values: Values): Feeds {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, Float32Array.from(value, Number)]));
}
