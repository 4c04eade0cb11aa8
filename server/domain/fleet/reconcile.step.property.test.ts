import * as fc from "fast-check";
import { expect, test } from "vitest";
import type { JobState } from "./job.ts";
import { type Action, type LiveAttempt, reconcile, type ReconcileRun, type ReconcileState } from "./reconcile.ts";
import { isOver } from "#server/domain/runs/runStatus.ts";

const devices = ["0", "1", "GPU-a", "GPU-a"];
const nodeName = fc.constantFrom("near", "far", "gone");
const jobState: fc.Arbitrary<JobState> = fc.oneof(
  fc.constantFrom<JobState>({ state: "submitted" }, { state: "running" }, { state: "unknown", why: "time-out" }),
  fc.record({ state: fc.constant("exited" as const), exitCode: fc.constantFrom(0, 1, 75, 137, 143) }),
  fc.record({ state: fc.constant("lost" as const), evidence: fc.constant("pid gone") }),
);
const done = fc.constantFrom(
  null,
  { exit: "completed", reason: "" } as const,
  { exit: "interrupted", reason: "" } as const,
  { exit: "diverged", reason: "" } as const,
);
const liveAttempt: fc.Arbitrary<LiveAttempt> = fc.record({
  attemptId: fc.nat(99),
  jobId: fc.constant("job"),
  node: nodeName,
  devices: fc.subarray(devices),
  state: jobState,
  createdAtMs: fc.nat(100_000),
  done,
  logDrained: fc.boolean(),
});
const demand = fc.record({
  slots: fc.integer({ min: 1, max: 4 }),
  labels: fc.subarray(["gpu", "large"]),
  avoid: fc.subarray(["near", "far"]),
  notBeforeMs: fc.constantFrom(0, 0, 200_000),
});
const run: fc.Arbitrary<Omit<ReconcileRun, "runId" | "order">> = fc
  .record({
    sweepId: fc.constantFrom("a", "b"),
    reason: fc.constantFrom(null, "disk_full" as const),
    intent: fc.constantFrom("run", "run", "run", "cancel", "stop"),
    sweepIntent: fc.constantFrom("run", "run", "run", "pause", "cancel"),
    maxAttempts: fc.integer({ min: 1, max: 4 }),
    numAttempts: fc.nat(4),
    failures: fc.constant({}),
    liveAttempt: fc.option(liveAttempt),
    idle: fc.constantFrom("pending" as const, "pending" as const, "finished" as const, "failed" as const),
    live: fc.constantFrom("starting" as const, "running" as const, "unknown" as const),
    demand,
    isExternal: fc.boolean(),
    start: fc.constantFrom(null, "one", "two"),
    isFirstSeed: fc.boolean(),
    latestIteration: fc.nat(2),
  })
  .map(({ idle, live, ...rest }) => ({ ...rest, status: rest.liveAttempt === null ? idle : live }));
const node = fc
  .record({
    name: nodeName,
    labels: fc.subarray(["gpu", "large"]),
    priority: fc.nat(2),
    per: fc.constantFrom("core", "gpu", "job"),
    free: fc.subarray(devices),
    isReachable: fc.boolean(),
    isDiskFull: fc.boolean(),
  })
  .map((rest) => ({ ...rest, slots: devices }));
const state: fc.Arbitrary<ReconcileState> = fc
  .record({
    runs: fc.array(run, { maxLength: 12 }),
    nodes: fc.uniqueArray(node, { selector: ({ name }) => name }),
    nowMs: fc.constantFrom(100_000, 150_000),
    observingSinceMs: fc.constantFrom(0, 99_000),
  })
  .map(({ runs, ...rest }) => ({ ...rest, runs: runs.map((own, i) => ({ ...own, runId: `r${i}`, order: i })) }));

test("a decision changes nothing that it was made from, and is the same again and for runs in any order", () => {
  fc.assert(
    fc.property(state, (now) => {
      const before = structuredClone(now);
      const actions = reconcile(now);
      expect(now).toEqual(before);
      expect(reconcile({ ...now, runs: now.runs.toReversed() })).toEqual(actions);
    }),
    { numRuns: 200 },
  );
});

test("at most one action a run, none on what is over, and slots are given to one run each, where they may be", () => {
  fc.assert(
    fc.property(state, (now) => {
      const actions = reconcile(now);
      expect(new Set(actions.map(({ runId }) => runId)).size).toBe(actions.length);
      for (const action of actions) expect(isOver(runOf(now, action).status)).toBe(false);
      for (const { name, free, isReachable, isDiskFull, labels } of now.nodes) {
        const launches = actions.flatMap((action) => (action.do === "launch" && action.node === name ? [action] : []));
        if (launches.length > 0) expect([isReachable, isDiskFull]).toEqual([true, false]);
        expect(
          without(
            launches.flatMap(({ devices }) => devices),
            free,
          ),
        ).toEqual([]);
        for (const action of launches) checkLaunch(runOf(now, action), action, labels);
      }
    }),
    { numRuns: 200 },
  );
});

test("an attempt ends only when its process was seen to end and its log was read", () => {
  fc.assert(
    fc.property(state, (now) => {
      for (const action of reconcile(now)) {
        if (action.do !== "end" && action.do !== "retry") continue;
        const attempt = runOf(now, action).liveAttempt;
        if (attempt === null) continue;
        expect(["exited", "lost"]).toContain(attempt.state.state);
        expect(attempt.logDrained).toBe(true);
      }
    }),
    { numRuns: 200 },
  );
});

type Launch = Extract<Action, { do: "launch" }>;

function checkLaunch(run: ReconcileRun, { number, devices }: Launch, labels: readonly string[]): void {
  expect(run).toMatchObject({ liveAttempt: null, intent: "run", sweepIntent: "run" });
  expect(number).toBe(run.numAttempts + 1);
  expect(number).toBeLessThanOrEqual(run.maxAttempts);
  expect(devices).toHaveLength(run.demand.slots);
  expect(labels).toEqual(expect.arrayContaining([...run.demand.labels]));
}

function runOf({ runs }: ReconcileState, { runId }: Action): ReconcileRun {
  const found = runs.find((run) => run.runId === runId);
  if (found === undefined) throw new Error(`an action on ${runId}, which is not there`);
  return found;
}

/** Devices in `taken` after removing each of `free` once: devices assigned although they were not free. */
function without(taken: readonly string[], free: readonly string[]): string[] {
  const left = [...free];
  return taken.filter((name) => {
    const at = left.indexOf(name);
    if (at !== -1) left.splice(at, 1);
    return at === -1;
  });
}
