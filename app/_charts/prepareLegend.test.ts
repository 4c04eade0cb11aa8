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

it("tells lines apart within each chart: those of several environments are named and look alike", () => {
  const cells = [cell(1, "GRPO", "", "one"), cell(2, "GRPO", "", "two"), cell(3, "GRPO", "", "three")];
  const levels = ["sokoban", "webshop"];
  const facet = {
    key: "environment",
    title: "Environment",
    levels,
    cells: [0, 1, 1].map((level, i) => ({ cellId: i + 1, level })),
  };
  const [sokoban, ...webshop] = prepareLegend(cells, { facet });
  expect([sokoban, ...webshop].map((entry) => entry?.label)).toEqual(["GRPO", "GRPO (two)", "GRPO (three)"]);
  expect(sokoban?.dash).toBe(webshop[0]?.dash);
  expect(webshop[0]?.dash).not.toBe(webshop[1]?.dash);
});

it("names sweeps only where lines of several would be named alike", () => {
  expect(prepareLegend([cell(1, "GRPO")])[0]?.label).toBe("GRPO");
  expect(prepareLegend([cell(1, "GRPO", "", "one"), cell(2, "GRPO", "", "two")])[1]?.label).toBe("GRPO (two)");
  const labels = prepareLegend([cell(1, "GRPO"), cell(2, "SAPO", "", "two"), cell(3, "SAPO", "", "three")]).map(
    (entry) => entry.label,
  );
  expect(labels).toEqual(["GRPO", "SAPO (two)", "SAPO (three)"]);
});
