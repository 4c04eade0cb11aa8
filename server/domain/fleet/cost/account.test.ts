import { expect, it } from "vitest";
import { accountFor, type AttemptUse } from "./account.ts";

const hour = 3_600_000;
const attempt: AttemptUse = {
  runId: "a",
  number: 1,
  slots: 2,
  pricePerSlotHour: 3,
  queuedMs: hour / 2,
  heldMs: hour,
  firstIteration: 1,
  lastIteration: 10,
  collapsedAt: null,
  isFailed: false,
};

it("counts slots by the hour, with waiting apart and without a charge", () => {
  expect(accountFor([attempt])).toEqual({
    numRuns: 1,
    numCollapsed: 0,
    used: { slotHours: 2, cost: 6 },
    afterCollapse: { slotHours: 0, cost: 0 },
    again: { slotHours: 0, cost: 0 },
    queuedHours: 1,
  });
});

it("counts what was trained after a collapse", () => {
  const { numCollapsed, afterCollapse } = accountFor([{ ...attempt, collapsedAt: 4 }]);
  expect(numCollapsed).toBe(1);
  expect(afterCollapse).toEqual({ slotHours: 1.2, cost: expect.closeTo(3.6, 12) as number });
});

it("counts what a later attempt did again once, also behind a collapse", () => {
  // The second attempt resumes from the checkpoint at 6: iterations 7 to 10 were repeated, 5 and 6 came after the
  // collapse.
  const second = { ...attempt, number: 2, firstIteration: 7, lastIteration: 16 };
  const { used, again, afterCollapse, numRuns } = accountFor(
    [second, attempt].map((one) => ({ ...one, collapsedAt: 4 })),
  );
  expect(numRuns).toBe(1);
  expect(used.slotHours).toBe(4);
  expect(again.slotHours).toBeCloseTo(0.8, 12);
  expect(afterCollapse.slotHours).toBeCloseTo(0.4 + 2, 12);
});

it("counts an attempt without an iteration as done again where one followed, and a failed run as lost whole", () => {
  const silent = { ...attempt, lastIteration: null };
  expect(accountFor([silent]).again.slotHours).toBe(0);
  expect(accountFor([silent, { ...attempt, number: 2 }]).again.slotHours).toBe(2);
  const failed = accountFor([{ ...attempt, isFailed: true, collapsedAt: 4 }]);
  expect([failed.again.slotHours, failed.afterCollapse.slotHours]).toEqual([2, 0]);
});

it("knows no cost where a node that was used has no price", () => {
  const other = { ...attempt, runId: "b", pricePerSlotHour: null };
  expect(accountFor([attempt, other]).used).toEqual({ slotHours: 4, cost: null });
  expect(accountFor([attempt, { ...other, heldMs: 0 }]).used).toEqual({ slotHours: 2, cost: 6 });
});
