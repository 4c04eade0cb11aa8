import { expect, test } from "vitest";
import { readCurve } from "./reading.ts";

test.each([
  [[-3, -1, -2], -1, -6],
  [[0.5, 2, 1], 2, 3.5],
  [[-3, NaN], Infinity, NaN],
  [[-Infinity, 1], Infinity, -Infinity],
  [[], NaN, NaN],
])("the largest of %j is %d, their sum %d", (values, largest, sum) => {
  const iterations = Int32Array.from(values, (_, i) => i);
  expect(readCurve({ iterations, values: Float64Array.from(values) }, { better: "none" })).toMatchObject({
    largest,
    sum,
  });
});
