import { expect, it } from "vitest";
import { isSpent } from "./budgetLine.ts";
import { weighBudgets } from "./budgets.ts";
import { BudgetsFile } from "./budgetsFile.ts";
import { summariseCosts, type Use } from "./costs.ts";

const hourMs = 3_600_000;

/** An attempt that used two slots for some hours, at a price of 3 per slot-hour. */
function useOf(runId: string, person: string | null, hours: number, rest: Partial<Use> = {}): Use {
  const sweep = { sweepId: `sweep of ${person}`, sweepName: `Sweep of ${person}`, method: "GRPO", person, node: "n" };
  const when = { queuedMs: 0, heldMs: hours * hourMs, firstIteration: 0, lastIteration: 9 };
  return {
    ...sweep,
    ...when,
    runId,
    number: 1,
    slots: 2,
    pricePerSlotHour: 3,
    collapsedAt: null,
    isFailed: false,
    isDependent: false,
    ...rest,
  };
}

const uses = [useOf("a", "Ada", 10), useOf("b", "Ada", 5), useOf("c", "Ben", 1), useOf("d", null, 4)];

function weigh(budget: object, used: readonly Use[] = uses) {
  const { budgets } = BudgetsFile.parse({ budgets: [{ name: "B", ...budget }] });
  return weighBudgets(budgets, () => used).map((line) => [line.title, line.unit, line.used, line.limit]);
}

it.each([
  [
    "everybody",
    { hours: 100, money: 60 },
    [
      ["Everybody", "money", 120, 60],
      ["Everybody", "hours", 40, 100],
    ],
  ],
  ["a person, however the name is written", { person: "ada", runs: 4 }, [["ada", "runs", 2, 4]]],
  ["a person who launched nothing", { person: "Eve", hours: 4 }, [["Eve", "hours", 0, 4]]],
  ["a sweep", { sweep: "sweep of Ben", hours: 4 }, [["Sweep of Ben", "hours", 2, 4]]],
  ["a sweep that nobody has begun", { sweep: "x", runs: 4 }, [["x", "runs", 0, 4]]],
  [
    "each person, those without a name together",
    { each: "person", hours: 20 },
    [
      ["Ada", "hours", 30, 20],
      ["No person recorded", "hours", 8, 20],
      ["Ben", "hours", 2, 20],
    ],
  ],
])("adds up what is used of a budget of %s", (_, budget, lines) => {
  expect(weigh(budget)).toEqual(lines);
});

it("counts attempts of a budget's days alone, and a limit as spent when it is reached", () => {
  const { budgets } = BudgetsFile.parse({
    budgets: [
      { name: "All", hours: 40 },
      { name: "Week", hours: 40, days: 7 },
    ],
  });
  const lines = weighBudgets(budgets, (days) => (days === null ? uses : uses.slice(0, 2)));
  expect(lines.map((line) => [line.name, line.days, line.used, isSpent(line)])).toEqual([
    ["All", null, 40, true],
    ["Week", 7, 30, false],
  ]);
});

it("knows no money where a node that was used has no price", () => {
  const lines = weigh({ money: 10, runs: 10 }, [...uses, useOf("e", "Ada", 1, { pricePerSlotHour: null })]);
  expect(lines).toEqual([
    ["Everybody", "runs", 5, 10],
    ["Everybody", "money", null, 10],
  ]);
});

it.each([
  [[{ name: "B" }], "budgets.0: has no limit: add runs, hours or money"],
  [
    [{ name: "B", sweep: "x", each: "person", runs: 1 }],
    "budgets.0.each: cannot be combined with sweep: remove one of them",
  ],
  [
    [
      { name: "B", runs: 1 },
      { name: "B", runs: 2 },
    ],
    "budgets.1.name: two budgets are named “B”: rename one",
  ],
  [[{ name: "B", hours: 0 }], "budgets.0.hours: Too small: expected number to be >0"],
])("refuses %j at its field", (budgets, problem) => {
  const issues = BudgetsFile.safeParse({ budgets }).error?.issues ?? [];
  expect(issues.map(({ path, message }) => `${path.join(".")}: ${message}`)).toEqual([problem]);
});

it("keeps branches and trials out of a method's cost, unless there is nothing else", () => {
  const sum = (used: Use[]) => {
    const ledger = { uses: used, open: [], calibrations: [], models: {}, commonPrice: null };
    return summariseCosts(ledger, "method").rows.map(({ title, used: { slotHours } }) => [title, slotHours]);
  };
  const branch = useOf("b", "Ada", 5, { isDependent: true });
  expect(sum([useOf("a", "Ada", 10), branch])).toEqual([
    ["GRPO", 20],
    ["Branches, starts and search trials", 10],
  ]);
  expect(sum([branch])).toEqual([["GRPO", 10]]);
});
