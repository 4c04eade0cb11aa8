import { expect, test } from "vitest";
import { scaleLinear, scaleLog } from "./scales.ts";

test.each([
  { kind: "linear", make: scaleLinear, domain: [10, 100] as const, value: 40, placed: 300 },
  { kind: "logarithmic", make: scaleLog, domain: [1, 100] as const, value: 10, placed: 250 },
])("a $kind scale is set and asked as d3's is, upside down for the y-axis", ({ make, domain, value, placed }) => {
  const scale = make();
  expect(scale.domain(domain)).toBe(scale);
  expect(scale.range([400, 100])).toBe(scale);
  expect(scale(value)).toBeCloseTo(placed, 9);
  expect([scale.domain(), scale.range()]).toEqual([domain, [400, 100]]);
});
