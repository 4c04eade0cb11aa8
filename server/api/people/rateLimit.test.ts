import { expect, test } from "vitest";
import { makeRateLimit } from "./rateLimit.ts";

test("after so many tries one has to wait, and only so long", () => {
  const limit = makeRateLimit({ most: 3, everyMs: 6000, maxKeys: 10 });
  expect([1, 2, 3, 4].map(() => limit.take("a", 0))).toEqual([0, 0, 0, 6000]);
  expect(limit.take("a", 5000)).toBe(1000);
  expect(limit.take("a", 6000)).toBe(0);
  expect(limit.take("a", 6000)).toBe(6000);
  // Continued attempts do not extend the wait.
  for (let atMs = 6000; atMs < 12_000; atMs += 100) limit.take("a", atMs);
  expect(limit.take("a", 12_000)).toBe(0);
});

test("one address does not use up another's tries", () => {
  const limit = makeRateLimit({ most: 1, everyMs: 1000, maxKeys: 10 });
  expect([limit.take("a", 0), limit.take("a", 0), limit.take("b", 0)]).toEqual([0, 1000, 0]);
});

test("a million addresses are not remembered", () => {
  const limit = makeRateLimit({ most: 1, everyMs: 1000, maxKeys: 2 });
  for (const key of ["a", "b", "c"]) limit.take(key, 0);
  // The oldest was evicted, the newest was not.
  expect([limit.take("c", 0), limit.take("a", 0)]).toEqual([1000, 0]);
});
