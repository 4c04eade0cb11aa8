import { expect, it } from "vitest";
import { listCellFields } from "./cellFields.ts";

const cell = (id: number, method: string, more: { environment?: string; sweepName?: string; spec?: object } = {}) => ({
  id,
  method,
  environment: "sokoban",
  sweepName: "s",
  spec: {},
  ...more,
});

it("lists what varies within a method and an environment, by size, and not what goes along with either", () => {
  const spec = (kind: string, learningRate: number | null) => ({
    method: { clipping: kind },
    optimizer: { learningRate },
  });
  const fields = listCellFields([
    cell(1, "GRPO", { spec: spec("token", 0.001) }),
    cell(2, "GRPO", { spec: spec("token", 0.0003) }),
    cell(3, "GSPO", { spec: spec("sequence", 0.01) }),
    cell(4, "GSPO", { spec: spec("sequence", null) }),
  ]);
  expect(fields.map(({ key, levels }) => [key, levels.length])).toEqual([["optimizer.learningRate", 4]]);
  expect(fields[0]?.cells).toEqual([
    { cellId: 1, level: 2 },
    { cellId: 2, level: 1 },
    { cellId: 3, level: 3 },
    { cellId: 4, level: 0 },
  ]);
});

it("lists environments and sweeps where there are several", () => {
  const fields = listCellFields([
    cell(1, "GRPO", { environment: "webshop", sweepName: "b" }),
    cell(2, "GRPO", { sweepName: "a" }),
  ]);
  expect(fields.map(({ key, levels }) => [key, levels])).toEqual([
    ["environment", ["sokoban", "webshop"]],
    ["sweep", ["a", "b"]],
  ]);
  expect(listCellFields([cell(1, "GRPO"), cell(2, "GSPO")])).toEqual([]);
});
