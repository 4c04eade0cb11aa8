import { expect, it } from "vitest";
import { formatDuration, formatTick, formatValue } from "./format.ts";

it.each([
  [0, "0"],
  [0.5, "0.500"],
  [-0.01234, "−0.0123"],
  [0.00012, "1.20e−4"],
  [12_480, "12,480"],
  [485_165_195, "4.85e8"],
  [Number.NaN, "NaN"],
  [Number.POSITIVE_INFINITY, "+∞"],
  [null, "n/a"],
])("writes %s as %s", (x, text) => {
  expect(formatValue(x)).toBe(text);
});

it("keeps ticks short", () => {
  expect([0.2, 1e-4, 2000, 0.30000000000000004].map(formatTick)).toEqual(["0.2", "1e−4", "2,000", "0.3"]);
});

it.each([
  [42_000, "42 s"],
  [185_000, "3 min 5 s"],
  [7_800_000, "2 h 10 min"],
])("says %d ms as %s", (ms, text) => {
  expect(formatDuration(ms)).toBe(text);
});
