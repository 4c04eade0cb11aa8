import { expect, it } from "vitest";
import { formatIntegrity } from "./RunHead.tsx";

it.each([
  [[{ numMetricLines: 480, numRejected: 0, done: { numMetricLines: 480 } }], "480 lines stored = 480 written", true],
  [[{ numMetricLines: 479, numRejected: 0, done: { numMetricLines: 480 } }], "479 lines stored ≠ 480 written", false],
  [
    [{ numMetricLines: 480, numRejected: 1, done: { numMetricLines: 480 } }],
    "480 lines stored = 480 written, 1 line could not be read",
    false,
  ],
  [[{ numMetricLines: 12, numRejected: 0, done: null }], "12 lines stored so far", true],
])("compares lines stored with lines written", (attempts, text, isWhole) => {
  expect(formatIntegrity(attempts)).toEqual({ text, isWhole });
});

it("says nothing before there is anything to compare", () => {
  expect(formatIntegrity([])).toBeNull();
  expect(formatIntegrity([{ numMetricLines: 0, numRejected: 0, done: null }])).toBeNull();
});
