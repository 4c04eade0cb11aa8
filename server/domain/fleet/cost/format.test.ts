import { expect, it } from "vitest";
import { formatLost, formatSlotHours, formatSpent, sayCosts } from "./format.ts";

it("says time, money where there is a price, and shares of what was used", () => {
  expect(formatSpent({ slotHours: 2.5, cost: 1240.4 })).toBe("2 h 30 min, 1,240.40");
  expect(formatSpent({ slotHours: 0.5, cost: null })).toBe("30 min");
  expect(formatSlotHours(1234.4)).toBe("1,234 h");
  expect(formatLost({ slotHours: 0.5, cost: 2 }, { slotHours: 2, cost: 8 })).toBe("30 min, 2.00 (25 %)");
  expect(formatLost({ slotHours: 0, cost: 0 }, { slotHours: 2, cost: 8 })).toBe("");
});

it("says what was used, lost and is left, without money where a price is missing", () => {
  const none = { slotHours: 0, cost: 0 };
  const of = { numRuns: 8, numCollapsed: 4, afterCollapse: none, again: none, queuedHours: 1, left: none };
  expect(sayCosts({ ...of, used: { slotHours: 2, cost: null } })).toBe(
    "8 runs used 2 h of slot time, none of it lost.",
  );
  const lost = { afterCollapse: { slotHours: 0.5, cost: 1 }, again: { slotHours: 0.2, cost: 0.4 } };
  expect(
    sayCosts({ ...of, ...lost, numRuns: 1, used: { slotHours: 2, cost: 4 }, left: { slotHours: 3, cost: 6 } }),
  ).toBe(
    "1 run used 2 h of slot time for 4.00, 25 % of it after a collapse, 10 % in repeated or failed attempts. About 3 h (6.00) of work remains.",
  );
});
