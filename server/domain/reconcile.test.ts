import { describe, expect, it } from "vitest";
import type { JobState } from "./job.ts";
import { reconcile, type LiveAttempt, type ReconcileRun } from "./reconcile.ts";

const nowMs = 1_000_000;
const running: JobState = { state: "running", pid: 7 };
const exited: JobState = { state: "exited", exitCode: 0 };
const lost: JobState = { state: "lost", evidence: "boot id differs" };
const unknown: JobState = { state: "unknown", why: "ssh timed out" };
const completed = { exit: "completed", reason: "budget used" } as const;

const attempt = (changes: Partial<LiveAttempt>): LiveAttempt => ({
  attemptId: 1,
  jobId: "job-1",
  node: "local",
  state: running,
  createdAtMs: nowMs - 1000,
  done: null,
  logDrained: false,
  ...changes,
});
const idle = (changes: Partial<ReconcileRun>): ReconcileRun => ({
  runId: "r",
  status: "pending",
  intent: "run",
  sweepIntent: "run",
  maxAttempts: 1,
  numAttempts: 0,
  liveAttempt: null,
  order: 0,
  ...changes,
});
const live = (changes: Partial<LiveAttempt>, run: Partial<ReconcileRun> = {}) =>
  idle({ status: "running", numAttempts: 1, liveAttempt: attempt(changes), ...run });

const decide = (runs: ReconcileRun[], slots = 2, observingSinceMs = 0) =>
  reconcile({ runs, capacity: { slots, used: runs.filter((run) => run.liveAttempt).length }, nowMs, observingSinceMs });
/** The single action on a run, in short: "launch", "end failed diverged", "none". */
const inShort = (run: ReconcileRun, observingSinceMs = 0) => {
  const [action] = decide([run], 2, observingSinceMs);
  if (!action) return "none";
  if (action.do === "end") return `end ${action.status} ${action.reason}`;
  if (action.do === "setStatus") return `set ${action.status}`;
  if (action.do === "retry") return `retry ${action.reason} ${action.maxAttempts}`;
  return action.do;
};

describe("reconcile", () => {
  it.each<[string, ReconcileRun, string]>([
    ["launches a pending run", idle({}), "launch"],
    ["leaves runs of a paused sweep pending", idle({ sweepIntent: "pause" }), "none"],
    ["cancels a pending run", idle({ intent: "cancel" }), "end cancelled cancelled_by_user"],
    [
      "cancels the pending runs of a cancelled sweep",
      idle({ sweepIntent: "cancel" }),
      "end cancelled cancelled_by_user",
    ],
    ["launches nothing without an attempt left", idle({ numAttempts: 1 }), "end failed attempts_used_up"],
    ["launches again when an attempt was granted", idle({ numAttempts: 1, maxAttempts: 2 }), "launch"],
    ["leaves a finished run alone", idle({ status: "finished", sweepIntent: "cancel" }), "none"],
    ["marks a run running when its job is seen", live({}, { status: "starting" }), "set running"],
    ["lets a running run run", live({}), "none"],
    ["lets the runs of a paused sweep run on", live({}, { sweepIntent: "pause" }), "none"],
    ["waits for a fresh submission", live({ state: { state: "submitted" } }, { status: "starting" }), "none"],
    [
      "submits again what was not seen for a while",
      live({ state: { state: "submitted" }, createdAtMs: nowMs - 60_000 }, { status: "starting" }),
      "resubmit",
    ],
    ["says when it cannot observe", live({ state: unknown }), "set unknown"],
    ["says so once", live({ state: unknown }, { status: "unknown" }), "none"],
    ["recovers from not observing", live({}, { status: "unknown" }), "set running"],
    ["reads the log to its end before it judges", live({ state: exited, done: completed }), "none"],
    [
      "finishes on both witnesses",
      live({ state: exited, done: completed, logDrained: true }),
      "end finished completed",
    ],
    ["fails an exit without a final line", live({ state: exited, logDrained: true }), "end failed no_done_event"],
    ["tries a lost run again", live({ state: lost, logDrained: true }), "retry lost 2"],
    [
      "gives a run up that was lost three times",
      live({ state: lost, logDrained: true }, { numAttempts: 3, maxAttempts: 3 }),
      "end failed lost",
    ],
    [
      "does not repeat a divergence",
      live({ state: { state: "exited", exitCode: 3 }, logDrained: true }),
      "end failed diverged",
    ],
    ["asks the job of a cancelled run to stop", live({}, { intent: "cancel" }), "cancelJob"],
    ["asks again while it cannot observe", live({ state: unknown }, { intent: "cancel" }), "cancelJob"],
    ["reads the log of a cancelled run to its end", live({ state: exited }, { intent: "cancel" }), "none"],
    [
      "lets cancel win over a retry",
      live({ state: { state: "exited", exitCode: 75 }, logDrained: true }, { intent: "cancel" }),
      "end cancelled cancelled_by_user",
    ],
  ])("%s", (_, run, expected) => {
    expect(inShort(run)).toBe(expected);
  });

  it("judges nobody lost before it has observed for a grace period", () => {
    const run = live({ state: lost, logDrained: true });
    expect(inShort(run, nowMs - 5000)).toBe("none");
    expect(inShort(run, nowMs - 31_000)).toBe("retry lost 2");
  });

  it("launches in order, and no more than there are slots", () => {
    const runs = ["c", "a", "b"].map((runId) => idle({ runId, order: runId.charCodeAt(0) }));
    expect(decide(runs).map(({ runId }) => runId)).toEqual(["a", "b"]);
    expect(decide([...runs, live({}, { runId: "z" })]).map(({ runId }) => runId)).toEqual(["a"]);
    expect(decide(runs, 0)).toEqual([]);
  });

  it("is pure: equal states give equal actions", () => {
    const runs = [idle({}), live({ state: lost, logDrained: true }, { runId: "s", order: 1 })];
    expect(decide(runs)).toEqual(decide(structuredClone(runs)));
  });
});
