import { describe, expect, it, test } from "vitest";
import {
  decimalsFor,
  formatBytes,
  formatCount,
  formatHyperparameter,
  formatNumber,
  lowerFirst,
} from "./formatFigures.ts";

test.each([
  [0, "0 B"],
  [999, "999 B"],
  [1234, "1.2 kB"],
  [45_600, "46 kB"],
  [999_499, "999 kB"],
  [999_500, "1.0 MB"],
  [999_999, "1.0 MB"],
  [1_234_567, "1.2 MB"],
  [999_999_999, "1.0 GB"],
  [2e9, "2.0 GB"],
])("%d bytes are %s", (bytes, text) => {
  expect(formatBytes(bytes)).toBe(text);
});

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

it("counts one and many", () => {
  expect([0, 1, 2, 12_480].map((n) => formatCount(n, "run"))).toEqual(["0 runs", "1 run", "2 runs", "12,480 runs"]);
  expect([1, 2].map((n) => formatCount(n, "entry", "entries"))).toEqual(["1 entry", "2 entries"]);
});

it("spells neighbouring rates alike, and exactly", () => {
  const rates = [1e-6, 3e-4, 1e-3, 2.5e-3, 0.01, 0.28, 1, 128];
  const texts = rates.map(formatHyperparameter);
  expect(texts).toEqual(["1e-6", "3e-4", "1e-3", "2.5e-3", "0.01", "0.28", "1", "128"]);
  expect(texts.map(Number)).toEqual(rates);
  for (const x of [0.0015, 1e-8, 0.1 + 0.2, 12345.678, -2e-5]) expect(Number(formatHyperparameter(x))).toBe(x);
  expect([0, -3e-4].map(formatHyperparameter)).toEqual(["0", "-3e-4"]);
});

it("writes titles small within a sentence, and leaves names in them", () => {
  const titles = [
    "Success rate",
    "Share of KL: A > 0",
    "KL to the reference",
    "GSPO's ratio",
    "IcePop",
    "Dr. GRPO",
    "Turn-PPO",
  ];
  expect(titles.map(lowerFirst)).toEqual([
    "success rate",
    "share of KL: A > 0",
    "KL to the reference",
    "GSPO's ratio",
    "IcePop",
    "Dr. GRPO",
    "Turn-PPO",
  ]);
});
