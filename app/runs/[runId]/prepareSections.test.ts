import { expect, it } from "vitest";
import { metricKeys } from "#trainer/spec/metric.ts";
import { keysOf, prepareSections } from "./prepareSections.ts";

const none = new Set<string>();

it("draws a dozen charts of a run that logs everything, and folds the rest by group", () => {
  const sections = prepareSections(metricKeys, "", none);
  const open = sections.filter(({ isFolded }) => !isFolded);
  expect(open.map(({ title, keys, families }) => [title, keys.length + families.length])).toEqual([
    ["At a glance", 8],
    ["Strata: advantage × ratio × entropy", 3],
    ["By turn of the episode", 2],
  ]);
  expect(sections.flatMap(keysOf).toSorted()).toEqual([...metricKeys].toSorted());
});

it("opens the groups that were asked for", () => {
  const sections = prepareSections(metricKeys, "", new Set(["time"]));
  expect(sections.filter(({ isFolded }) => !isFolded).map(({ name }) => name)).toContain("time");
});

it("shows what a search finds, unfolded", () => {
  const sections = prepareSections(metricKeys, "padding", none);
  expect(sections.map(({ keys, isFolded }) => [keys, isFolded])).toEqual([[["update/paddingFraction"], false]]);
});

it("folds nothing of a run that logs other metrics than ours", () => {
  expect(prepareSections(["mine/a", "mine/b"], "", none)).toMatchObject([{ name: "mine", isFolded: false }]);
});
