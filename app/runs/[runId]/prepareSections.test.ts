import { expect, it } from "vitest";
import { metricKeys } from "#trainer/spec/metric.ts";
import { keysOf, prepareSections } from "./prepareSections.ts";

const none = new Map<string, number>();

it("draws a dozen charts of a run that logs everything, and folds the rest by group", () => {
  const sections = prepareSections(metricKeys, "", none);
  const open = sections.filter(({ isFolded }) => !isFolded);
  expect(open.map(({ title, keys, families }) => [title, keys.length + families.length])).toEqual([
    ["At a glance", 8],
    ["By turn of the episode", 2],
  ]);
  expect(sections.flatMap(keysOf).toSorted()).toEqual([...metricKeys].toSorted());
});

it("opens the groups that were asked for", () => {
  const sections = prepareSections(metricKeys, "", new Map([["time", 0]]));
  expect(sections.filter(({ isFolded }) => !isFolded).map(({ name }) => name)).toContain("time");
});

it("shows what a search finds, unfolded", () => {
  const sections = prepareSections(metricKeys, "padding", none);
  expect(sections.map(({ keys, isFolded }) => [keys, isFolded])).toEqual([[["update/paddingFraction"], false]]);
});

it("folds nothing of a run that logs other metrics than ours", () => {
  expect(prepareSections(["mine/a", "mine/b"], "", none)).toMatchObject([{ name: "mine", isFolded: false }]);
});

it("asks for a bounded number of charts however many metrics a trainer logs, and shows more on demand", () => {
  const many = Array.from({ length: 3000 }, (_, i) => `aux${i % 100}/metric${i}`);
  const open = (opened: ReadonlyMap<string, number>) =>
    prepareSections(many, "", opened).filter(({ isFolded }) => !isFolded);
  expect(open(none).flatMap(keysOf).length).toBeLessThanOrEqual(96);
  const [first] = open(none);
  expect([first?.keys.length, first?.numMore]).toEqual([24, 6]);
  expect(open(new Map([["aux0", 1]]))[0]).toMatchObject({ numMore: 0, keys: expect.objectContaining({ length: 30 }) });
  expect(
    prepareSections(many, "metric", none)
      .filter(({ isFolded }) => !isFolded)
      .flatMap(keysOf).length,
  ).toBeLessThanOrEqual(96);
});

it("groups metrics whose names JavaScript's objects have", () => {
  const names = ["constructor", "toString/x", "__proto__/y", "hasOwnProperty/constructor", ""];
  expect(prepareSections(names, "", none).flatMap(keysOf).toSorted()).toEqual(names.toSorted());
  for (const { title } of prepareSections(names, "", none)) expect(typeof title).toBe("string");
});
