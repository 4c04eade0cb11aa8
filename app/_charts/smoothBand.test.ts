import { describe, expect, it } from "vitest";
import { smooth } from "./smoothBand.ts";

const round = (values: Iterable<number>) => Array.from(values, (x) => Math.round(x * 1e6) / 1e6);

describe("smooth", () => {
  it.each([
    ["a ramp", 0.6, [1, 2, 3, 4, 5], [1, 1.625, 2.326531, 3.095588, 3.921582]],
    ["a ramp with a NaN", 0.6, [1, 2, NaN, 4, 5], [1, 1.625, NaN, 2.836735, 3.830882]],
    ["a spike", 0.9, [0, 10, 0, 0], [0, 5.263158, 3.321033, 2.355336]],
    ["infinities, which pass through", 0.5, [1, Infinity, 1], [1, Infinity, 1]],
    ["a constant", 0.99, [2, 2, 2], [2, 2, 2]],
    ["nothing at weight 0", 0, [3, 1, 2], [3, 1, 2]],
  ])("debiases %s", (_, weight, values, expected) => {
    expect(round(smooth(Float64Array.from(values), weight))).toEqual(expected);
  });

  it("gives a constant back to the last digit, with gaps and at every weight", () => {
    for (const constant of [1, 0.1, 1 / 3, 1e-6, -7.3, 1e21]) {
      for (const weight of [0.05, 0.3, 0.6, 0.9, 0.95, 0.999]) {
        const values = Float64Array.from({ length: 200 }, (_, i) => (i % 7 === 3 ? NaN : constant));
        expect(smooth(values, weight)).toEqual(values);
      }
    }
  });
});
