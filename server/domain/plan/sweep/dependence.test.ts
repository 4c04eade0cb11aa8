import { expect, it } from "vitest";
import { type Choice, type ChosenRun, countChoices, type DependentCounting, tellLeftOut } from "./dependence.ts";

const run = (choice: Choice, origin: string | null = null, hasOriginCollapsed = false): ChosenRun => {
  return { choice, origin, hasOriginCollapsed };
};
const times = (length: number, one: ChosenRun) => Array.from({ length }, () => one);
const tell = (runs: ChosenRun[], dependent?: DependentCounting, numRepeated = 0) => {
  const counts = countChoices({ runs, dependent, numRepeated });
  return counts && tellLeftOut({ ...counts, equal: [] });
};
const planned = times(8, run("plan"));

it("leaves dependent runs out beside others, and says which", () => {
  expect(tell(planned)).toBeNull();
  expect(tell([...planned, ...times(15, run("branch", "a"))])).toBe(
    "Left out, because they depend on earlier results: 15 branches of one run.",
  );
  const several = [
    run("branch", "a", true),
    run("rescue arm", "b"),
    run("start", "a"),
    ...times(2, run("search trial")),
  ];
  expect(tell([...planned, ...several])).toBe(
    "Left out, because they depend on earlier results: 2 branches of 2 runs (1 collapsed), 1 start, 2 search trials.",
  );
});

it("names runs that count although no plan drew them", () => {
  const branches = times(15, run("rescue arm", "a", true));
  expect(tell([...planned, ...branches], "added")).toBe("Including 15 branches of one collapsed run.");
  expect(tell([...planned, ...branches], "added", 14)).toBe(
    "Including 15 branches of one collapsed run; branches of one run with equal settings are no seeds and count once (14 left out).",
  );
  expect(tell(branches)).toBe("Including 15 branches of one collapsed run.");
  expect(tell([...planned, ...times(3, run("added seed"))])).toBe("Including 3 seeds added after the launch.");
  expect(tell([...planned, run("imported")])).toBe("Including 1 imported run.");
  expect(tell(times(4, run("imported")))).toBeNull();
  expect(tell(times(4, run("search trial")))).toBeNull();
});
