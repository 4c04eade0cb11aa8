import { expect, it } from "vitest";
import { hyperparameterField, runFields } from "#server/domain/runs/table/field.ts";
import { indexFields, metricFields } from "#server/domain/runs/table/findField.ts";
import { findCompleting, suggestNames } from "./FilterBox.tsx";

const fields = [
  ...runFields,
  hyperparameterField("optimizer.learningRate", { isNumber: true }),
  ...metricFields("evaluation/successRate"),
];
const index = indexFields(fields);

it.each([
  ["met|", { kind: "name", text: "met", before: "" }],
  ["failed -met|hod", { kind: "name", text: "met", before: "-" }],
  ["method:g|", { kind: "value", text: "g", before: "method:" }],
  ["method:grpo,g|", { kind: "value", text: "g", before: "method:grpo," }],
  ['sweep:"table 3|', { kind: "value", text: "table 3", before: "sweep:" }],
])("%s", (marked, expected) => {
  const caret = marked.indexOf("|");
  expect(findCompleting(marked.replace("|", ""), caret, index)).toMatchObject(expected);
});

it("has nothing to say between words, and of a field that there is not", () => {
  expect(findCompleting("a ", 2, index)).toBeUndefined();
  expect(findCompleting("nothing:x", 9, index)).toBeUndefined();
});

it("names what begins with the text first, then what holds it", () => {
  const texts = suggestNames("learn", fields, 5).map(({ text }) => text);
  expect(texts[0]).toBe("optimizer.learningRate:");
  expect(suggestNames("st", fields, 3).map(({ text }) => text)).toEqual(["state:", "stated:", "started:"]);
  expect(suggestNames("coll", fields, 3).map(({ text }) => text)).toEqual(["collapsed", "collapsedAt:"]);
});

it("names metrics behind the iteration that their value is asked at", () => {
  expect(suggestNames("at40.succ", fields, 5)).toEqual([
    { text: "at40.evaluation/successRate:", title: "Success rate, at 40" },
  ]);
  expect(suggestNames("at40.fin", fields, 5), "a state is no metric").toEqual([]);
});
