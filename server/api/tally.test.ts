import { expect, it } from "vitest";
import { makeTally } from "./tally.ts";

it("tells once within the time that there were so many, for each key, and again in the next", () => {
  const tally = makeTally({ most: 3, withinMs: 100, maxKeys: 2 });
  expect([0, 1, 2, 3, 99].map((at) => tally.add("a", at))).toEqual([undefined, undefined, 3, undefined, undefined]);
  expect([101, 102, 103].map((at) => tally.add("a", at))).toEqual([undefined, undefined, 3]);
  expect(tally.add("b", 104)).toBeUndefined();
  expect(tally.add("c", 105)).toBeUndefined();
  // Key "a" was evicted by two other keys.
  expect([106, 107].map((at) => tally.add("a", at))).toEqual([undefined, undefined]);
});
