import { existsSync, writeFileSync } from "node:fs";
import { expect, test } from "vitest";
import { isDiskFull } from "./diskFull.ts";

const errorOf = (work: () => void): unknown => {
  try {
    return work();
  } catch (error) {
    return error;
  }
};

test.skipIf(!existsSync("/dev/full"))(
  "a write that finds no room is known, also as another error's cause (needs /dev/full)",
  () => {
    const error = errorOf(() => writeFileSync("/dev/full", "x"));
    expect(isDiskFull(error)).toBe(true);
    expect(isDiskFull(new Error("cannot write checkpoint", { cause: error }))).toBe(true);
  },
);

test("so is one beyond the user's share of the disk; other errors are not", () => {
  expect(isDiskFull(Object.assign(new Error("over quota"), { code: "EDQUOT" }))).toBe(true);
  expect(isDiskFull(errorOf(() => writeFileSync("/nowhere/at/all", "x")))).toBe(false);
  expect(isDiskFull("ENOSPC")).toBe(false);
});
