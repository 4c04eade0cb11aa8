import { expect, it } from "vitest";
import { parseReport } from "#server/domain/publish/reports/parseReport.ts";
import { blockNames, insertBlock, startOfLine } from "./ReportEditor.tsx";

it("puts a block after the line of the cursor, about the sweep named before", () => {
  const first = insertBlock("# A\nmore", 1, { name: "Headline", sweepId: "x" });
  expect(first.text).toBe("# A\n\n```headline\nsweep: x\n```\n\nmore");
  expect(first.text.slice(first.cursor)).toBe("\n\nmore");
  const second = insertBlock(first.text.replace("sweep: x", "sweep: y, z"), first.cursor + 3, {
    name: "Table",
    sweepId: "x",
  });
  expect(second.text).toContain("```table\nsweep: y\nkind: final\n```");
});

it("puts in blocks that can be read", () => {
  for (const name of blockNames) {
    const { text } = insertBlock("", 0, { name, sweepId: "s" });
    expect(parseReport(text)).toMatchObject([{ kind: "block" }]);
  }
});

it("finds where a line begins", () => {
  expect([1, 2, 3].map((line) => startOfLine("ab\n\nc", line))).toEqual([0, 3, 4]);
});
