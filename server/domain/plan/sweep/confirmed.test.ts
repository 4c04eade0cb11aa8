import { expect, it } from "vitest";
import { AppError } from "#packages/base";
import { numberToConfirm, refuseUnconfirmed } from "./confirmed.ts";

const refusalOf = (number: number, confirmed?: number): AppError | undefined => {
  try {
    refuseUnconfirmed(number, { field: "numRuns", unit: "run", confirmed, max: 10_000 });
    return undefined;
  } catch (error) {
    return error instanceof AppError ? error : undefined;
  }
};

it.each([
  [1000, undefined, undefined],
  [1001, 1001, undefined],
  [10_000, 10_000, undefined],
  [1001, undefined, "This starts 1,001 runs: confirm the number with numRuns: 1001"],
  [1001, 1000, "This starts 1,001 runs, not 1,000 runs: confirm the number with numRuns: 1001"],
  [3, 2, "This starts 3 runs, not 2 runs: confirm the number with numRuns: 3"],
  [10_001, 10_001, "numRuns: the request starts 10,001 runs, the limit is 10,000 runs: ask for fewer at a time"],
])("%i runs of which %j are confirmed: %j", (number, confirmed, message) => {
  expect(refusalOf(number, confirmed)?.message).toBe(message);
});

it("tells a page the number to confirm, and none where no confirmation helps", () => {
  expect(numberToConfirm(refusalOf(1001)?.issues ?? [], "numRuns")).toBe(1001);
  expect(numberToConfirm(refusalOf(10_001)?.issues ?? [], "numRuns")).toBeUndefined();
});
