import { expect, it } from "vitest";
import { type Table, textCell } from "#packages/tables";
import { listSilent, nameRules, prepareAlarms } from "./prepareAlarms.ts";

const rule = (name: string, numTrue: number, numFalse: number) => ({ rule: name, numTrue, numFalse, earlyRate: NaN });
const group = (...rules: ReturnType<typeof rule>[]) => ({ heading: "", numCollapses: 1, rules });

it("folds rules without an alarm in every group, and never ours", () => {
  const first = group(rule("ours", 0, 0), rule("OLMo", 0, 0), rule("ZClip", 0, 0));
  const second = group(rule("ours", 0, 0), rule("OLMo", 0, 2), rule("ZClip", 0, 0));
  expect(listSilent([first, second])).toEqual(["ZClip"]);
  expect(listSilent([])).toEqual([]);
});

it("shows the other rows, and versions of rules without hashes", () => {
  const heading = "Made before rules-5-cdb5ec94 was frozen";
  const rows = ["ours", "ZClip"].map((name) => ({ heading, runIds: [], cells: [textCell(name)] }));
  const table = { caption: "rules-5-cdb5ec94 of the detector", rows } as Pick<Table, "caption" | "rows"> as Table;
  expect(prepareAlarms(table, ["ZClip"])).toEqual({
    caption: "Rules 5 of the detector",
    rows: [{ heading: "Made before Rules 5 was frozen", runIds: [], cells: [textCell("ours")] }],
  });
  expect(nameRules("drawdown")).toBe("drawdown");
});
