import { expect, it } from "vitest";
import { findLimitErrors, parseLimits, withLimits, writeLimits } from "./limits.ts";

it.each([
  ["", "", false, {}],
  ["0", "1.5", false, {}],
  ["−2", "", false, {}],
  ["one", "", false, { low: "“one” is not a number" }],
  ["1,5", "", false, { low: "“1,5” has a comma: write a decimal point" }],
  ["3", "2", false, { high: "The upper limit 2 is not above the lower limit 3" }],
  ["0", "2", true, { low: "0 is not above 0: a log axis needs positive limits" }],
  ["", "Infinity", false, { high: "“Infinity” is not a number" }],
])("from %j to %j, log %j: %j", (low, high, isLog, errors) => {
  expect(findLimitErrors({ low, high }, isLog)).toEqual(errors);
});

it("survives the way through an address, and leaves out what it cannot read", () => {
  const limits = new Map([
    ["update/gradientNorm", { low: 0, high: 5 }],
    ["loss/policy", { low: null, high: -0.1 }],
  ]);
  expect(parseLimits(writeLimits(limits))).toEqual(limits);
  expect(parseLimits("a:..,b,c:x..1,d:5..1,:1..2,e:0..1")).toEqual(new Map([["e", { low: 0, high: 1 }]]));
});

it("forgets a metric's limits when both ends are left to the data", () => {
  const all = withLimits(new Map(), "a", { low: 1, high: null });
  expect([...all]).toEqual([["a", { low: 1, high: null }]]);
  expect(withLimits(all, "a", { low: null, high: null }).size).toBe(0);
});
