import { expect, it } from "vitest";
import { usualSampling } from "#server/domain/trainers/import/usualSampling.ts";
import { hyperparameters } from "./hyperparameters.ts";
import { titleOfSetting } from "./settingTitles.ts";

it("names every object that may be off, and the sizes of external runs, in words", () => {
  const paths = [
    ...hyperparameters().flatMap(({ within }) => within ?? []),
    ...Object.keys(usualSampling).map((key) => `sampling.${key}`),
  ];
  expect(paths).toContain("budget.split");
  expect(paths.filter((path) => titleOfSetting(path) === path)).toEqual([]);
});
