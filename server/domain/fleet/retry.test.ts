import { describe, expect, it } from "vitest";
import { Aftermath, decideRetry, type FailureReason } from "./retry.ts";
import { describeAftermath } from "./cancellation.ts";

const after = (reason: FailureReason, numSame: number, more: { numAttempts?: number; maxAttempts?: number } = {}) =>
  decideRetry(reason, { numSame, numAttempts: numSame + 1, maxAttempts: 1, machine: "cluster/n7", ...more });

describe("decideRetry", () => {
  it.each<[FailureReason, number, string]>([
    ["timed_out", 0, "at once"],
    ["timed_out", 98, "at once"],
    ["timed_out", 99, "stop"],
    ["preempted", 0, "in 10 s"],
    ["preempted", 1, "in 20 s"],
    ["preempted", 50, "in 900 s"],
    ["interrupted", 8, "at once"],
    ["interrupted", 9, "stop"],
    ["node_failed", 0, "in 30 s, on a node other than cluster/n7"],
    ["node_failed", 4, "stop"],
    ["lost", 1, "in 4 s, on a node other than cluster/n7"],
    ["lost", 2, "stop"],
    ["killed", 0, "in 2 s"],
    ["killed", 1, "stop"],
    ["out_of_memory", 0, "stop"],
    ["exit_code", 0, "stop"],
    ["trainer_failed", 0, "stop"],
    ["no_done_event", 0, "stop"],
    ["diverged", 0, "stop"],
    ["spec_refused", 0, "stop"],
    ["submit_refused", 0, "stop"],
    ["expired", 0, "stop"],
    ["cancelled_outside", 0, "stop"],
  ])("after %s, for the same reason %i times before: %s", (reason, numSame, expected) => {
    const { aftermath, maxAttempts } = after(reason, numSame);
    if (expected === "stop") expect(aftermath.next).toBe("stop");
    else expect(describeAftermath(aftermath)).toContain(`retried ${expected} (`);
    expect(maxAttempts).toBe(expected === "stop" ? 1 : numSame + 2);
    expect(Aftermath.parse(aftermath)).toEqual(aftermath);
  });

  it("tries a run again for want of room as often as it takes, within a minute each time", () => {
    const { aftermath, maxAttempts } = after("disk_full", 5000);
    expect(aftermath).toMatchObject({ next: "retry", nth: 5001, atMost: null, avoid: null, waitMs: 60_000 });
    expect(maxAttempts).toBe(5002);
    expect(describeAftermath(Aftermath.parse(aftermath))).toContain(
      "once the disk has free space (retry 5001, no limit)",
    );
    expect(after("killed", 0, { numAttempts: 5001, maxAttempts: 5001 }).aftermath.next).toBe("retry");
  });

  it("counts causes apart: preemptions cost a run none of its other chances", () => {
    expect(after("node_failed", 0, { numAttempts: 40, maxAttempts: 40 })).toMatchObject({
      aftermath: { next: "retry", nth: 1, atMost: 5 },
      maxAttempts: 41,
    });
  });

  it("grants what a user allows beyond the policy, but not where it would only repeat", () => {
    expect(after("killed", 1, { maxAttempts: 5 })).toMatchObject({ aftermath: { next: "retry" }, maxAttempts: 5 });
    expect(after("out_of_memory", 0, { maxAttempts: 5 })).toMatchObject({ aftermath: { next: "stop" } });
    expect(after("diverged", 0, { maxAttempts: 5 })).toMatchObject({ aftermath: { next: "stop" } });
  });
});
