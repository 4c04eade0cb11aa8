import { describe, expect, it } from "vitest";
import { RunEvent, fromMetricValue, readRunEvent, toMetricValue } from "./event.ts";

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

const line = {
  v: 1,
  seq: 3,
  atMs: 1.5,
  type: "metrics",
  iteration: 2,
  optimizerStep: 8,
  values: { loss: 1, b: "NaN" },
};
const oddNumbers = [-1, 0.5, 2 ** 53, Infinity, "1", null, true, [], {}, undefined];
const oddLines: unknown[] = [
  undefined,
  null,
  7,
  "metrics",
  [],
  {},
  { ...line, type: "note" },
  { ...line, extra: 1 },
  { ...line, originals: { loss: "actor/loss" } },
  { ...line, originals: { loss: 1 } },
  { ...line, originals: undefined },
  ...["v", "seq", "atMs", "type", "iteration", "optimizerStep", "values"].flatMap((key) =>
    oddNumbers.map((odd) => ({ ...line, [key]: odd })),
  ),
  ...oddNumbers.map((odd) => ({ ...line, values: { loss: odd } })),
  { ...line, values: { loss: "Infinity", other: "-Infinity", last: "infinity" } },
  JSON.parse(`{${JSON.stringify(line).slice(1, -1)},"__proto__":{"a":1}}`),
  { ...line, values: JSON.parse('{"__proto__": 1, "loss": 2}') },
];

describe("a line that is read", () => {
  it("is taken as it is where it is plainly one of metrics", () => {
    const { data } = readRunEvent(line);
    expect(data).toBe(line);
    expect(data).toEqual(RunEvent.parse(line));
  });

  it.each(oddLines)("is what the schema says of it: %j", (odd) => {
    const [quick, whole] = [readRunEvent(odd), RunEvent.safeParse(odd)];
    expect(quick.data).toEqual(whole.data);
    expect(quick.error?.issues).toEqual(whole.error?.issues);
    expect(Object.keys(quick.data ?? {})).toEqual(Object.keys(whole.data ?? {}));
  });
});
