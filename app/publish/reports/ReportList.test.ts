import { expect, test } from "vitest";
import { sumUp } from "./ReportList.tsx";

test("reports are counted by the state of their figures", () => {
  const report = (title: string, frozenAt: Date | null = null) => ({ title, frozenAt });
  expect(sumUp([report("A")])).toBe("1 report, figures live; changed last: A.");
  expect(sumUp([report("A", new Date(0)), report("B", new Date(0))])).toBe(
    "2 reports, figures frozen; changed last: A.",
  );
  expect(sumUp([report("A"), report("B", new Date(0))])).toBe(
    "2 reports, figures live in 1, frozen in the rest; changed last: A.",
  );
});
