import { expect, it } from "vitest";
import { formatLost, formatSlotHours, formatSpent } from "./format.ts";

it("says time, money where there is a price, and shares of what was used", () => {
  expect(formatSpent({ slotHours: 2.5, cost: 1240.4 })).toBe("2 h 30 min, 1,240.40");
  expect(formatSpent({ slotHours: 0.5, cost: null })).toBe("30 min");
  expect(formatSlotHours(1234.4)).toBe("1,234 h");
  expect(formatLost({ slotHours: 0.5, cost: 2 }, { slotHours: 2, cost: 8 })).toBe("30 min, 2.00 (25 %)");
  expect(formatLost({ slotHours: 0, cost: 0 }, { slotHours: 2, cost: 8 })).toBe("");
});
