import { expect, it } from "vitest";
import { usualSampling } from "#server/domain/trainers/import/foreignRun.ts";
import { hyperparameters } from "../settings/hyperparameters.ts";
import { titleOfLevel } from "../methods/dimensionTexts.ts";
import { titleOfSetting } from "./settingTitles.ts";

it("names every object that may be off, and the sizes of external runs, in words", () => {
  const paths = [
    ...hyperparameters().flatMap(({ within }) => within ?? []),
    ...Object.keys(usualSampling).map((key) => `sampling.${key}`),
  ];
  expect(paths).toContain("budget.split");
  expect(paths.filter((path) => titleOfSetting(path) === path)).toEqual([]);
});

it("says levels as the builder does, what is added to one behind it, and leaves what it does not know", () => {
  expect(titleOfLevel("aggregation", "seqMeanTokenMean")).toBe("Turn mean");
  expect(titleOfLevel("clipping", "sequence+mask+correction")).toBe("Turn clip, masked, corrected");
  expect(titleOfLevel("advantage", "theirs")).toBe("theirs");
});
