import { expect, it } from "vitest";
import { countLeftOut, dependenceOf, tellLeftOut, type Dependence } from "./dependence.ts";

it.each([
  [{ kind: "scratch" }, false, undefined],
  [{ kind: "demonstrations" }, false, undefined],
  [{ kind: "demonstrations" }, true, { kind: "trial" }],
  [{ kind: "branch", run: "a" }, false, { kind: "branch", origin: "a" }],
  [{ kind: "run", run: "a" }, false, { kind: "start", origin: "a" }],
  [{ kind: "branch", run: "a" }, true, { kind: "branch", origin: "a" }],
])("decides by a run's facts if it depends on earlier results: %o, search %s", (initialisation, isOfSearch, found) => {
  expect(dependenceOf({ initialisation, isOfSearch })).toEqual(found);
});

const branch = (origin: string): Dependence => ({ kind: "branch", origin });

it("counts what is left out, and nothing if all chosen runs are dependent or the user adds them", () => {
  const dependent = [branch("a"), branch("a"), branch("b"), { kind: "start" as const, origin: "a" }];
  expect(countLeftOut(dependent, { numRuns: 9 })).toEqual({
    numBranches: 3,
    numOrigins: 2,
    numStarts: 1,
    numTrials: 0,
  });
  expect(countLeftOut(dependent, { numRuns: 4 })).toBeNull();
  expect(countLeftOut(dependent, { numRuns: 9, choice: "added" })).toBeNull();
  expect(countLeftOut([], { numRuns: 9 })).toBeNull();
});

it("says which runs are left out", () => {
  const tell = (dependent: Dependence[]) => {
    const counts = countLeftOut(dependent, { numRuns: 1000 });
    return counts && tellLeftOut({ ...counts, numEqual: 0, equal: [] });
  };
  expect(tell(Array.from({ length: 15 }, () => branch("a")))).toBe(
    "Left out, because they depend on earlier results: 15 branches of one run.",
  );
  expect(tell([branch("a"), branch("b"), { kind: "start", origin: "a" }, { kind: "trial" }, { kind: "trial" }])).toBe(
    "Left out, because they depend on earlier results: 2 branches of 2 runs, 1 start, 2 search trials.",
  );
});
