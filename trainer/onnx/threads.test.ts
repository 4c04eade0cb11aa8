// @module-tag soak
import { expect, it } from "vitest";
import { gradients } from "#trainer/graph/backward.ts";
import { input, matmul, mul, rmsNorm, softmax, sum, transpose } from "#trainer/graph/ops.ts";
import { makeSession } from "./session.ts";

it("computes the same bits on one thread and on several", async () => {
  const [x, w] = [input("x", [96, 512]), input("w", [512, 640])];
  const y = matmul(rmsNorm(x, 1e-6), w);
  const loss = sum(mul(softmax(matmul(y, transpose(y))), 3));
  const [dx = loss, dw = loss] = gradients(mul(loss, sum(y)), [x, w]);
  const feeds = {
    x: new Float32Array(96 * 512).map((_, i) => Math.sin(i)),
    w: new Float32Array(512 * 640).map((_, i) => Math.cos(1.7 * i) / 20),
  };
  const results = [];
  for (const threads of [1, 2, 5]) {
    const session = await makeSession({ y, dx, dw }, { threads });
    results.push(await session.run(feeds));
    await session.close();
  }
  expect(results[0]?.dw.some((value) => Math.abs(value) > 1e-3)).toBe(true);
  expect(results[1]).toEqual(results[0]);
  expect(results[2]).toEqual(results[0]);
});
