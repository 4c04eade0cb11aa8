import { describe, expect, it } from "vitest";
import { RunEvent, fromMetricValue, toMetricValue } from "./event.ts";

it.each([0, -1.5, 1e-300, NaN, Infinity, -Infinity])("the value %d survives JSON", (x) => {
  const written = JSON.stringify(toMetricValue(x));
  expect(fromMetricValue(toMetricValue(x))).toBe(x);
  expect(written).not.toBe("null");
});

describe("a line of a log", () => {
  const metrics = { v: 1, seq: 3, atMs: 1.7e12, type: "metrics", iteration: 1, optimizerStep: 4 };
  it.each([
    [
      "metrics with values that are not finite",
      { ...metrics, values: { "loss/total": "NaN", "policy/entropy": 0.3 } },
      true,
    ],
    ["a note", { v: 1, seq: 0, atMs: 0, type: "note", level: "warning", text: "slow" }, true],
    ["the end", { v: 1, seq: 9, atMs: 0, type: "done", exit: "diverged", reason: "NaN", numMetricLines: 5 }, true],
    ["a null where a number was lost", { ...metrics, values: { "loss/total": null } }, false],
    ["an unknown type", { ...metrics, type: "progress" }, false],
    ["another version", { ...metrics, v: 2, values: {} }, false],
    ["a torn object", { v: 1, seq: 3, type: "metrics" }, false],
  ])("%s is valid: %#", (_, line, isValid) => {
    expect(RunEvent.safeParse(line).success).toBe(isValid);
  });
});
