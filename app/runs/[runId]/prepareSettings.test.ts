import { expect, it } from "vitest";
import { methodOf } from "#trainer/spec/method.ts";
import { CellSpec } from "#trainer/spec/run.ts";
import { prepareSettings } from "./prepareSettings.ts";

it("tells a run by its method's four kinds and by what departs from the defaults, and counts the rest", () => {
  const spec = CellSpec.parse({
    environment: { id: "sokoban", size: 7 },
    method: methodOf("gspo"),
    optimizer: { learningRate: 1e-4 },
  });
  const settings = prepareSettings(spec);
  expect(settings.dimensions.map(({ kind }) => kind)).toEqual(["Turn mean", "Turn clip", "Group-relative", "Keep all"]);
  expect(settings.differences).toEqual([
    expect.objectContaining({ path: "environment.size", value: "7", usual: "6" }),
    { path: "optimizer.learningRate", title: "Learning rate", value: "1e-4", usual: "3e-4" },
  ]);
  expect(settings.numUsual).toBeGreaterThan(20);
});
