import { expect, it } from "vitest";
import { prepareReferences, type ChartReference } from "./prepareReferences.ts";

const legend = [{ cellId: 1, id: "1", label: "GRPO lr 1e-3", color: "blue", dash: undefined }];
const reference: ChartReference = {
  cellId: 1,
  method: "GRPO",
  label: "lr 1e-3",
  environment: "sokoban",
  sweepName: "Table 3",
  key: "a",
  value: 0.5,
  numRuns: 3,
};
const prepare = (references: ChartReference[], others: string[] = []) =>
  prepareReferences(references, { key: "a", legend, others: new Set(others) });

it("is a level in the colour and by the name of the baseline's line", () => {
  const { drawn, notes } = prepare([reference, { ...reference, key: "b" }]);
  expect(drawn).toEqual([
    { id: "1", color: "blue", label: "Baseline GRPO lr 1e-3 0.500", short: "Baseline 0.500", y: 0.5 },
  ]);
  expect(notes).toEqual(["dashed line: GRPO lr 1e-3, final value, mean of 3 runs: 0.500"]);
});

it("names its sweep where the page has no line of it", () => {
  const [drawn] = prepare([{ ...reference, cellId: 9 }]).drawn;
  expect(drawn).toMatchObject({ color: "var(--muted)", label: "Baseline GRPO lr 1e-3 (Table 3) 0.500" });
});

it("stands in that one of several charts which has its line", () => {
  expect(prepare([reference], ["1"]).drawn).toEqual([]);
  expect(prepare([reference], ["2"]).drawn).toHaveLength(1);
});

it("stands in the chart of its environment alone, where each has one", () => {
  const shown = (environment: string) =>
    prepareReferences([{ ...reference, cellId: 9 }], { key: "a", legend, others: new Set(), environment }).drawn;
  expect([shown("sokoban").length, shown("webshop").length]).toEqual([1, 0]);
});
