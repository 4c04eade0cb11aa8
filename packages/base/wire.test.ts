import { expect, test } from "vitest";
import { fromWire, toWire } from "./wire.ts";

function travel(value: unknown): unknown {
  return fromWire(JSON.parse(JSON.stringify(toWire(value)) ?? "null"));
}

test("non-finite numbers, dates and typed arrays arrive as they left", () => {
  const value = {
    loss: [1.5, Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, -0.25],
    at: new Date(1_700_000_000_123),
    nothing: null,
    nested: { values: Float64Array.of(Number.NaN, 1 / 3, Number.NEGATIVE_INFINITY), iterations: Int32Array.of(1, -2) },
  };
  expect(travel(value)).toEqual(value);
});

test("a window into a larger typed array travels without the rest", () => {
  const window = Float64Array.from({ length: 40_000 }, (_, i) => i).subarray(10, 39_990);
  expect(travel(window)).toEqual(window.slice());
});

test("plain data stays plain", () => {
  const value = { a: [1, "two", true, null, { b: [] }] };
  expect(toWire(value)).toEqual(value);
});
