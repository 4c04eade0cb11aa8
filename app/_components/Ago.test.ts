import { expect, test } from "vitest";
import { formatAgo } from "./Ago.tsx";

const minute = 60_000;
const hour = 60 * minute;

test.each([
  [-3000, "just now"],
  [59_000, "just now"],
  [minute, "1 min ago"],
  [59 * minute, "59 min ago"],
  [hour, "1 h ago"],
  [24 * hour, "yesterday"],
  [3 * 24 * hour, "3 days ago"],
  [8 * 24 * hour, "2026-01-02"],
])("%d ms ago is %s", (ms, said) => {
  const now = Date.UTC(2026, 0, 10);
  expect(formatAgo(new Date(now - ms), now)).toBe(said);
});
