import { describe, expect, test } from "vitest";
import type { CellField } from "#server/domain/runs/series/cellFields.ts";
import { partsOf, withoutPart } from "./chartParts.ts";

const line = (cellId: number, label: string) => ({ cellId, id: String(cellId), label, color: "", dash: undefined });

describe("small multiples", () => {
  test("a chart is named by what its lines share, and the lines by what they do not", () => {
    const field: CellField = {
      key: "optimizer.learningRate",
      title: "Learning rate",
      levels: ["3e-4", "1e-3"],
      cells: [
        { cellId: 1, level: 0 },
        { cellId: 2, level: 1 },
      ],
    };
    const legend = [line(1, "GRPO learning rate 3e-4, lag 1"), line(2, "GRPO learning rate 1e-3, lag 1")];
    const parts = partsOf(field, legend);
    expect(parts.map((part) => part?.name)).toEqual(["learning rate 3e-4", "learning rate 1e-3"]);
    expect(parts.map((part) => part?.others)).toEqual([["2"], ["1"]]);
    expect(parts[0]?.legend[0]?.label).toBe("GRPO lag 1");
  });

  test("an environment has the name that users know, and without a field there is one chart of all lines", () => {
    const field = { key: "environment", title: "Environment", levels: ["sokoban"], cells: [{ cellId: 1, level: 0 }] };
    expect(partsOf(field, [line(1, "GRPO")])[0]?.name).toBe("Sokoban");
    expect(partsOf(undefined, [line(1, "GRPO")])).toEqual([undefined]);
  });

  test.each([
    ["GRPO lag 1, learning rate 3e-4", "learning rate 3e-4", "GRPO lag 1"],
    ["GRPO lag 16", "lag 1", "GRPO lag 16"],
    ["GRPO lag 1", "lag 1", "GRPO"],
    ["GRPO", "lag 1", "GRPO"],
    ["GRPO lag 1, k 2, k 3", "k 2", "GRPO lag 1, k 3"],
  ])("%s without %s is %s", (label, part, left) => expect(withoutPart(label, part)).toBe(left));
});
