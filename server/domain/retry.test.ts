import { describe, expect, it } from "vitest";
import { decideRetry, type FailureReason } from "./retry.ts";

describe("decideRetry", () => {
  it.each<[FailureReason, number, number, number | "no"]>([
    ["interrupted", 1, 1, 2],
    ["interrupted", 9, 1, 10],
    ["interrupted", 10, 1, "no"],
    ["lost", 2, 1, 3],
    ["lost", 3, 1, "no"],
    ["killed", 1, 1, 2],
    ["killed", 2, 1, "no"],
    // A user who allows more attempts gets them, for failures that are worth repeating.
    ["killed", 2, 5, 5],
    ["diverged", 1, 5, "no"],
    ["out_of_memory", 1, 5, "no"],
    ["exit_code", 1, 5, "no"],
    ["trainer_failed", 1, 5, "no"],
    ["no_done_event", 1, 5, "no"],
    ["spec_refused", 1, 5, "no"],
  ])("after %s on attempt %i of %i allows %s", (reason, numAttempts, maxAttempts, expected) => {
    expect(decideRetry(reason, { numAttempts, maxAttempts })).toEqual(
      expected === "no" ? { retry: false } : { retry: true, maxAttempts: expected },
    );
  });
});
