import { describe, expect, it } from "vitest";
import type { JobState } from "./job.ts";
import type { Offer } from "./nodes/assign.ts";
import { listSteady, reconcile, type LiveAttempt, type ReconcileRun } from "./reconcile.ts";

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
  devices: ["0"],
  state: running,
  createdAtMs: nowMs - 1000,
  done: null,
  logDrained: false,
  ...changes,
});
const idle = (changes: Partial<ReconcileRun>): ReconcileRun => ({
  runId: "r",
  sweepId: "s",
  start: null,
  isFirstSeed: false,
  latestIteration: 0,
  status: "pending",
  reason: null,
  isExternal: false,
  intent: "run",
  sweepIntent: "run",
  maxAttempts: 1,
  numAttempts: 0,
  failures: {},
  liveAttempt: null,
  demand: { slots: 1, labels: [], avoid: [], notBeforeMs: 0 },
  order: 0,
  ...changes,
});
const live = (changes: Partial<LiveAttempt>, run: Partial<ReconcileRun> = {}) =>
  idle({ status: "running", numAttempts: 1, liveAttempt: attempt(changes), ...run });

const offer = (changes: Partial<Offer>): Offer => {
  const slots = changes.slots ?? ["0", "1"];
  return { name: "local", labels: [], priority: 0, per: "core", free: slots, isReachable: true, ...changes, slots };
};
const decide = (runs: ReconcileRun[], slots = 2, observingSinceMs = 0) => {
  const all = Array.from({ length: slots }, (_, i) => String(i));
  const nodes = [offer({ slots: all, free: all.slice(runs.filter((run) => run.liveAttempt).length) })];
  return reconcile({ runs, nodes, nowMs, observingSinceMs });
};
/** The only action on a run, in short form: "launch", "end failed diverged", "none". */
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
    [
      "waits until a retry is due",
      idle({ demand: { slots: 1, labels: [], avoid: [], notBeforeMs: nowMs + 1 } }),
      "none",
    ],
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
      live({ state: lost, logDrained: true }, { numAttempts: 3, maxAttempts: 3, failures: { lost: 2 } }),
      "end failed lost",
    ],
    [
      "does not repeat a divergence",
      live({ state: { state: "exited", exitCode: 3 }, logDrained: true }),
      "end failed diverged",
    ],
    [
      "shows a job that waits in a scheduler as starting",
      live({ state: { state: "queued", why: "Priority", isStuck: false } }),
      "set starting",
    ],
    [
      "leaves it there, and submits it no second time",
      live({ state: { state: "queued", why: "Priority", isStuck: false }, createdAtMs: 0 }, { status: "starting" }),
      "none",
    ],
    [
      "resumes a preempted run, however often it was preempted",
      live(
        { state: { state: "exited", exitCode: 75, cause: "preempted" }, logDrained: true },
        { numAttempts: 40, maxAttempts: 40, failures: { preempted: 39 } },
      ),
      "retry preempted 41",
    ],
    [
      "does not repeat what ran out of memory",
      live({ state: { state: "exited", exitCode: 137, cause: "out_of_memory" }, logDrained: true }, { maxAttempts: 9 }),
      "end failed out_of_memory",
    ],
    ["asks the job of a cancelled run to stop", live({}, { intent: "cancel" }), "cancelJob"],
    ["asks again while it cannot observe", live({ state: unknown }, { intent: "cancel" }), "cancelJob"],
    ["asks the job of a run that its sweep's rule stops", live({}, { intent: "stop" }), "cancelJob"],
    [
      "ends a run that its sweep's rule stopped as finished, by a reason of its own",
      live({ state: { state: "exited", exitCode: 75 }, logDrained: true }, { intent: "stop" }),
      "end finished stopped_by_rule",
    ],
    [
      "has completed what was through before the rule's request came",
      live({ state: exited, done: completed, logDrained: true }, { intent: "stop" }),
      "end finished completed",
    ],
    [
      "lets a sweep's cancellation win over its rule",
      live({ state: { state: "exited", exitCode: 75 }, logDrained: true }, { intent: "stop", sweepIntent: "cancel" }),
      "end cancelled cancelled_by_user",
    ],
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

  it("lets smaller runs pass a large one that finds no room, and gives it its turn when there is", () => {
    const large = idle({ runId: "large", demand: { slots: 2, labels: [], avoid: [], notBeforeMs: 0 }, order: -1 });
    const nodes = [offer({ free: ["1"] })];
    expect(reconcile({ runs: [large, idle({})], nodes, nowMs, observingSinceMs: 0 })).toMatchObject([
      { do: "launch", runId: "r", devices: ["1"] },
    ]);
    expect(decide([large, idle({})])).toMatchObject([{ do: "launch", runId: "large", devices: ["0", "1"] }]);
  });

  it("lets whoever starts from a policy that is being made go last in its sweep, and first in the queue all the same", () => {
    const cells = [0, 1].flatMap((seed) => ["a", "b"].map((cell) => ({ runId: `${cell}${seed}`, start: `x-${seed}` })));
    const runs = cells.map((run, order) => idle({ ...run, order }));
    const other = idle({ runId: "other", sweepId: "t", order: 9 });
    const launched = (all: ReconcileRun[], slots: number) =>
      decide(all, slots).flatMap(({ do: done, runId }) => (done === "launch" ? [runId] : []));
    expect(launched([...runs, other], 2)).toEqual(["a0", "a1"]);
    expect(launched([...runs, other], 4), "slots are not kept empty for it").toEqual(["a0", "a1", "b0", "b1"]);
    const making = live({}, { ...cells[0], order: 0 });
    expect(launched([making, ...runs.slice(1), other], 2)).toEqual(["a1"]);
    const made = live({}, { ...cells[0], order: 0, latestIteration: 1 });
    expect(launched([made, ...runs.slice(1), other], 2)).toEqual(["b0"]);
    const scratch = runs.map((run) => ({ ...run, start: null }));
    expect(launched(scratch, 2)).toEqual(["a0", "b0"]);
  });

  it("starts the first seed of every configuration before other seeds, even if its policy is being made", () => {
    const runs = [0, 1].flatMap((seed) =>
      ["a", "b", "c"].map((cell) => ({ runId: `${cell}${seed}`, start: `x-${seed}`, isFirstSeed: seed === 0 })),
    );
    const launched = (slots: number) =>
      decide(
        runs.map((run, order) => idle({ ...run, order })),
        slots,
      ).map(({ runId }) => runId);
    expect(launched(2)).toEqual(["a0", "b0"]);
    expect(launched(5)).toEqual(["a0", "b0", "c0", "a1", "b1"]);
  });

  it("says again where a job was submitted that nobody has seen", () => {
    const run = live({ state: { state: "submitted" }, createdAtMs: 0, node: "far", devices: ["3"] });
    expect(decide([run])).toMatchObject([{ do: "resubmit", node: "far", devices: ["3"] }]);
  });

  it("blames the machine within the node, and says when and where the run goes on", () => {
    const state: JobState = { state: "lost", evidence: "Slurm says NODE_FAIL", cause: "node_failed", host: "n7" };
    const [action] = decide([live({ node: "cluster", state, logDrained: true })]);
    expect(action).toMatchObject({ do: "retry", aftermath: { avoid: "cluster/n7", waitMs: 30_000 } });
  });

  describe("while the disk of a node is full", () => {
    const full = (runs: ReconcileRun[], changes: Partial<Offer> = {}) =>
      reconcile({ runs, nodes: [offer({ isDiskFull: true, ...changes })], nowMs, observingSinceMs: 0 });
    const paused = { status: "pending", reason: "disk_full" } as const;

    it("launches nothing there, and says of the runs that would be next what they wait for", () => {
      const runs = ["a", "b", "c"].map((runId, order) => idle({ runId, order }));
      const says = { do: "setStatus", ...paused, text: "paused: disk full on local" };
      expect(full(runs)).toEqual([
        { runId: "a", ...says },
        { runId: "b", ...says },
      ]);
      expect(full([idle(paused)]), "once").toEqual([]);
      expect(full([idle(paused)], { isDiskFull: false })).toMatchObject([{ do: "launch" }]);
      expect(full([idle(paused)], { isDiskFull: false, free: [] })).toMatchObject([
        { reason: null, status: "pending" },
      ]);
    });

    it("launches elsewhere, where there is another node", () => {
      const nodes = [offer({ isDiskFull: true, priority: 9 }), offer({ name: "far" })];
      expect(reconcile({ runs: [idle({})], nodes, nowMs, observingSinceMs: 0 })).toMatchObject([{ node: "far" }]);
    });

    it("notes that a run has to make way, asks it to, and lets it go on when there is room", () => {
      expect(full([live({})])).toMatchObject([{ do: "setStatus", status: "running", reason: "disk_full" }]);
      const asked = { status: "running", reason: "disk_full" } as const;
      expect(full([live({}, asked)])).toMatchObject([{ do: "cancelJob" }]);
      const saved = { exit: "interrupted", reason: "stopped on request after iteration 7" } as const;
      const left = live({ state: { state: "exited", exitCode: 75 }, done: saved, logDrained: true }, asked);
      const [action] = full([left], { isDiskFull: false });
      expect(action).toMatchObject({ do: "retry", reason: "disk_full", aftermath: { atMost: null, avoid: null } });
      expect(action).toHaveProperty("text", expect.stringMatching(/^paused: disk full on local \(stopped on request/));
    });

    it("treats alike the run that could write its end and the one that could not", () => {
      const ends: [JobState, LiveAttempt["done"]][] = [
        [
          { state: "exited", exitCode: 74 },
          { exit: "disk_full", reason: "ENOSPC" },
        ],
        [{ state: "exited", exitCode: 74 }, null],
        [lost, null],
      ];
      for (const [state, done] of ends) {
        expect(full([live({ state, done, logDrained: true })])).toMatchObject([{ do: "retry", reason: "disk_full" }]);
      }
    });

    it("leaves alone what has no checkpoint of ours, what is cancelled and what has not begun", () => {
      expect(full([live({}, { isExternal: true })])).toEqual([]);
      expect(full([live({ state: { state: "submitted" } }, { status: "starting" })])).toEqual([]);
      expect(full([live({}, { intent: "cancel" })])).toMatchObject([{ do: "cancelJob" }]);
    });
  });

  describe("while the log of a run does not grow", () => {
    const running = { state: "running", pid: 7 } as const;
    const stuck = { reason: "no_progress", maxSilenceMs: 600_000 } as const;
    const silence = (ms: number, iterationMs: number | null = 30_000) => ({
      state: running,
      silence: { ms, iterationMs },
    });

    it.each<[string, Partial<LiveAttempt>, Partial<ReconcileRun>, string]>([
      ["ten of its iterations", silence(300_000), {}, "none"],
      ["more than ten of its iterations", silence(301_000), {}, "set running"],
      ["more than ten, as reported before", silence(301_000), { reason: "no_progress" }, "none"],
      ["a new line after that report", { state: running }, { reason: "no_progress" }, "set running"],
      ["the end's line after that report", { state: running, done: completed }, { reason: "no_progress" }, "none"],
      ["an hour before its second iteration", silence(3_600_000, null), {}, "none"],
      [
        "the plan's limit before its second iteration",
        silence(600_000, null),
        { maxSilenceMs: 600_000 },
        "set running",
      ],
      ["the plan's limit, as reported before", silence(600_000), stuck, "cancelJob"],
      ["less than the plan's limit, as reported before", silence(599_000), stuck, "none"],
      ["a cancelled run", silence(600_000), { ...stuck, intent: "cancel" }, "cancelJob"],
    ])("decides after %s", (_, attempt, run, action) => {
      expect(inShort(live(attempt, run))).toBe(action);
    });

    it("names the pace of the run, and retries twice an attempt that the plan's limit ended", () => {
      expect(decide([live(silence(720_000, 60_000))])).toMatchObject([
        { reason: "no_progress", text: "no new line in the log for 12 min; its iterations take 1 min" },
      ]);
      const ended = { state: { state: "exited", exitCode: 137 }, logDrained: true } as const;
      expect(inShort(live(ended, stuck))).toBe("retry no_progress 2");
      expect(inShort(live(ended, { ...stuck, failures: { no_progress: 1 }, numAttempts: 2, maxAttempts: 2 }))).toBe(
        "end failed no_progress",
      );
      expect(inShort(live(ended, { reason: "no_progress", maxSilenceMs: null }))).toBe("retry killed 2");
    });

    it("lists no silent run as steady, so that a decision is made about it", () => {
      const one = { ...attempt(silence(90_000)), runId: "r" };
      expect(listSteady([one, { ...one, runId: "s", silence: undefined }], [offer({})])).toEqual(["s"]);
    });
  });

  it("is pure: equal states give equal actions", () => {
    const runs = [idle({}), live({ state: lost, logDrained: true }, { runId: "s", order: 1 })];
    expect(decide(runs)).toEqual(decide(structuredClone(runs)));
  });
});
