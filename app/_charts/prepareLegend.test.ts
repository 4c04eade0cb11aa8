import { expect, it } from "vitest";
import { prepareLegend } from "./prepareLegend.ts";

const cell = (id: number, method: string, label = "", sweep = "one") => ({
  id,
  method,
  label,
  sweepId: sweep,
  sweepName: sweep,
});

it("gives a method the same colour in every sweep", () => {
  const [alone] = prepareLegend([cell(1, "SAMPO")]);
  const among = prepareLegend([cell(2, "GRPO"), cell(3, "SAMPO")]).at(-1);
  expect(alone?.color).toBe(among?.color);
});

it("tells cells of one method apart by dash and label, not by colour", () => {
  const [a, b] = prepareLegend([cell(1, "GRPO", "lr 1e-4"), cell(2, "GRPO", "lr 3e-4")]);
  expect(a?.color).toBe(b?.color);
  expect(a?.dash).not.toBe(b?.dash);
  expect([a?.label, b?.label]).toEqual(["GRPO lr 1e-4", "GRPO lr 3e-4"]);
});

it("names sweeps only where there are several", () => {
  expect(prepareLegend([cell(1, "GRPO")])[0]?.label).toBe("GRPO");
  expect(prepareLegend([cell(1, "GRPO", "", "one"), cell(2, "GRPO", "", "two")])[1]?.label).toBe("GRPO (two)");
});
