import { expect, it } from "vitest";
import { describeSpent, endsSearch, sumUse } from "./searchEnd.ts";

const measured = (number: number, spread?: number) => ({
  number,
  outcome: { kind: "measured" as const, losses: [0], ...(spread !== undefined && { spread }) },
});

it("ends at the first trial that varies little enough, never at one that has no spread", () => {
  const search = { until: { spread: 0.02 } };
  expect(endsSearch(search, [measured(0), measured(1, 0.05)])).toBeUndefined();
  expect(endsSearch(search, [measured(0), measured(1, 0.05), measured(2, 0.0123456)])).toBe(
    "trial 2 varies by 0.0123 over its last fifth, at most 0.02 is asked",
  );
  expect(endsSearch({}, [measured(2, 0)])).toBeUndefined();
});

it("says which part of a budget is spent", () => {
  const used = sumUse([
    { runs: 3, iterations: 30, slotMs: 3_600_000 },
    { runs: 1, iterations: 5, slotMs: 1_800_000 },
  ]);
  expect(used).toEqual({ runs: 4, iterations: 35, hours: 1.5 });
  expect(describeSpent({}, used)).toBeUndefined();
  expect(describeSpent({ budget: { runs: 5, iterations: 36, hours: 1.6 } }, used)).toBeUndefined();
  expect(describeSpent({ budget: { runs: 4 } }, used)).toBe("the budget of 4 runs is spent: 4 were begun");
  expect(describeSpent({ budget: { iterations: 30 } }, used)).toContain("30 iterations is spent: 35 were trained");
  expect(describeSpent({ budget: { hours: 1.5 } }, used)).toContain("1.5 slot-hours is spent: 1.5 were used");
});
