import { describe, expect, it } from "vitest";
import { decimalsFor, formatNumber } from "./formatNumber.ts";

describe("formatNumber", () => {
  it.each([
    [0.9272, 2, 1, "92.7"],
    [0.125, 0, 2, "0.12"],
    [0.135, 0, 2, "0.14"],
    [2.675, 0, 2, "2.68"],
    [0.5725, 2, 1, "57.2"],
    [0.9996, 2, 1, "100.0"],
    [1, 2, 1, "100.0"],
    [0.04, 0, 0, "0"],
    [0.5, 0, 0, "0"],
    [1.5, 0, 0, "2"],
    [12_345.678, 0, 0, "12346"],
    [1e21, 0, 1, "1000000000000000000000.0"],
    [1e-9, 0, 3, "0.000"],
    [0.00123, 0, 5, "0.00123"],
    [-0.04, 0, 1, "0.0"],
    [-0, 0, 1, "0.0"],
    [-0.25, 2, 1, "-25.0"],
    [NaN, 0, 1, "nan"],
    [-Infinity, 0, 1, "-inf"],
  ])("prints %d × 10^%i with %i decimals as %s", (x, shift, decimals, expected) => {
    expect(formatNumber(x, { shift, decimals })).toBe(expected);
  });
});

describe("decimalsFor", () => {
  it.each([
    [[0.0123, 0.5], 3],
    [[5.5, 0.1], 2],
    [[83.9], 1],
    [[512], 0],
    [[1e-9], 6],
    [[0, NaN], 2],
  ])("shows three digits of the largest of %j", (values, expected) => {
    expect(decimalsFor(values, 3)).toBe(expected);
  });
});
