import { expect, it } from "vitest";
import { formatIntegrity } from "./RunHead.tsx";

const attempt = (numMetricLines: number, numRejected: number, written?: number) => ({
  numMetricLines,
  numRejected,
  done: written === undefined ? null : { numMetricLines: written },
});

it.each([
  [[attempt(479, 0, 480)], "479 lines stored ≠ 480 written"],
  [[attempt(480, 1, 480)], "1 line could not be read"],
  [[attempt(12, 2)], "2 lines could not be read"],
  [[attempt(480, 0, 480)], null],
  [[attempt(12, 0)], null],
  [[], null],
])("says only what is missing of the lines written", (attempts, text) => {
  expect(formatIntegrity(attempts)).toBe(text);
});
