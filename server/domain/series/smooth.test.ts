import { describe, expect, it } from "vitest";
import { countNonPositive, fromSymlog, listDecades, toSymlog } from "./scale.ts";
import { halfLife, smooth, smoothByIteration } from "./smooth.ts";

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

  it("weighs by distance where iterations are irregular", () => {
    const values = Float64Array.of(1, 2, 3, 4);
    const irregular = smoothByIteration({ iterations: Int32Array.of(0, 1, 5, 6), values }, 0.6);
    expect(round(irregular)).toEqual([1, 1.625, 2.763848, 3.480701]);
    const regular = smoothByIteration({ iterations: Int32Array.of(0, 1, 2, 3), values }, 0.6);
    expect(round(regular)).toEqual(round(smooth(values, 0.6)));
  });

  it("halves a value's share after its half-life", () => {
    expect([0.6, 0.9, 0.97, 0.99].map((weight) => Number(halfLife(weight).toPrecision(3)))).toEqual([
      1.36, 6.58, 22.8, 69,
    ]);
  });
});

describe("scale", () => {
  it("maps every number to symlog and back", () => {
    for (const x of [-1e6, -1, -1e-3, 0, 1e-9, 0.5, 7, 1e6])
      expect(fromSymlog(toSymlog(x, 0.01), 0.01)).toBeCloseTo(x, 8);
    expect(toSymlog(9)).toBeCloseTo(1);
  });

  it("counts what a logarithmic axis cannot show", () => {
    expect(countNonPositive(Float64Array.of(-1, 0, 1, NaN, Infinity))).toBe(2);
  });

  it("lists the decades around a range", () => {
    expect(listDecades(0.02, 30)).toEqual([0.01, 0.1, 1, 10, 100]);
    expect(listDecades(1, 1)).toEqual([1, 10]);
    expect(listDecades(0, 1)).toEqual([]);
  });
});
