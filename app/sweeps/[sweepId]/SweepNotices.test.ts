import { expect, it, test } from "vitest";
import { parsePlan } from "#server/domain/plan/sweep/plan.ts";
import { Stopping } from "#server/domain/plan/stopping/stopping.ts";
import { describeImported, formatStopping, prepareTurn } from "./SweepNotices.tsx";

const sweep = (sweepId: string, numPending: number) => {
  return { sweepId, sweepName: sweepId, priorityMinutes: 0, numPending, problem: null };
};

it("counts a sweep's turn among those that wait, not among those that only run", () => {
  const queue = [sweep("running", 0), sweep("a", 2), sweep("b", 1)];
  expect(prepareTurn(queue, "a")).toMatchObject({ isFirst: true, position: "first of 2" });
  expect(prepareTurn(queue, "b")).toMatchObject({ isFirst: false, position: "2 of 2" });
  expect(prepareTurn(queue, "running")).toBeUndefined();
  expect(prepareTurn(queue.slice(0, 2), "a")).toMatchObject({ isFirst: true, position: "alone" });
});

const none = { numStopped: 0, numControls: 0, numFalse: 0, numJudged: 0, savedMs: 0, wastedMs: 0 };

test("says the rule, and what it saved and cost", () => {
  const rule = Stopping.parse({ at: "unstable", iterations: 3 });
  expect(formatStopping({ rule, account: none })).toEqual({
    rule: "A run is stopped once it has been unstable for 3 iterations. 10 % of these runs continue as controls, to measure how many stops are wrong.",
    account: "The rule has not applied to any run yet.",
  });
  const account = { ...none, numStopped: 3, numControls: 1, numFalse: 1, numJudged: 1, savedMs: 4.5e7, wastedMs: 9e5 };
  expect(formatStopping({ rule, account }).account).toBe(
    "3 runs stopped, 13 slot-hours saved; 1 control continued; stopping would have been wrong for 1 of 1 judged controls; 0.25 slot-hours used by runs after the rule applied to them.",
  );
});

test("says that the rules of an imported sweep start nothing, and how to start their runs", () => {
  const planOf = (rules: string) =>
    parsePlan(`name: x\nmethods: [grpo]\nenvironments: [{ id: sokoban }]\nseeds: [0]\n${rules}`);
  const importedAt = new Date();
  const rescue = planOf("rescue: { on: collapsed }");
  expect(describeImported({ importedAt, plan: rescue })).toBe(
    "Imported, so nothing starts by itself: its rescue rule opens no branches (a collapsed run's page can).",
  );
  expect(describeImported({ importedAt: null, plan: rescue })).toBeUndefined();
  expect(describeImported({ importedAt, plan: planOf("") })).toBeUndefined();
});
