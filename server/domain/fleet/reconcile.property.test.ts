import { isDeepStrictEqual } from "node:util";
import { describe, expect, it } from "vitest";
import { split, type Rng } from "#trainer/spec/rng.ts";
import type { JobState } from "./job.ts";
import type { Done } from "./outcome.ts";
import type { Offer } from "./nodes/assign.ts";
import { freeSlots, listSlots } from "./nodes/slots.ts";
import { listSteady, reconcile, type Action, type ReconcileRun } from "./reconcile.ts";
import { retryRules } from "./retry.ts";
import { isOver } from "#server/domain/runs/runStatus.ts";

/**
 * Simulates the surroundings of `reconcile`: a store that survives crashes, and processes that run, end, vanish or
 * cannot be observed. The orchestrator may crash between recording a decision and executing it.
 */
type Process = { alive: boolean; end: "exit" | "vanish" | "none"; exitCode: number; done: Done | null };
type World = {
  rng: Rng;
  nowMs: number;
  observingSinceMs: number;
  runs: ReconcileRun[];
  processes: Map<string, Process>;
  /** Names of nodes with full disks. */
  full: Set<string>;
  /** Descriptions of the invariants violated so far. */
  violations: string[];
};

/** A machine with two cores, a node with two GPUs for two runs each, and a node that is not always reachable. */
const nodes = [
  { name: "cores", labels: [], priority: 1, per: "core" as const, slots: listSlots({ per: "core", count: 2 }) },
  {
    name: "gpus",
    labels: ["gpu"],
    priority: 0,
    per: "gpu" as const,
    slots: listSlots({ per: "gpu", devices: ["0", "GPU-a"], perDevice: 2 }),
  },
  { name: "flaky", labels: ["gpu"], priority: 2, per: "core" as const, slots: listSlots({ per: "core", count: 3 }) },
];
const demands = [
  { slots: 1, labels: [] },
  { slots: 1, labels: ["gpu"] },
  { slots: 2, labels: [] },
  { slots: 2, labels: ["gpu"] },
  { slots: 3, labels: [] },
];
const exits: { exitCode: number; done: Done | null }[] = [
  { exitCode: 0, done: { exit: "completed", reason: "" } },
  { exitCode: 3, done: { exit: "diverged", reason: "" } },
  { exitCode: 75, done: { exit: "interrupted", reason: "" } },
  { exitCode: 0, done: null },
  { exitCode: 137, done: null },
  { exitCode: 1, done: null },
  { exitCode: 74, done: { exit: "disk_full", reason: "" } },
];

function makeWorld(seed: number): World {
  const runs = Array.from({ length: 8 }, (_, order): ReconcileRun => ({
    runId: `r${order}`,
    sweepId: order < 5 ? "a" : "b",
    start: [null, "one", "one", "two"][order % 4] ?? null,
    isFirstSeed: false,
    latestIteration: 0,
    status: "pending",
    reason: null,
    isExternal: order === 4,
    intent: "run",
    sweepIntent: "run",
    maxAttempts: 1,
    numAttempts: 0,
    failures: {},
    liveAttempt: null,
    demand: { slots: 1, labels: [], avoid: order === 5 ? ["cores"] : [], notBeforeMs: 0, ...demands[order] },
    order,
  }));
  return {
    rng: split(seed, "reconcile"),
    nowMs: 0,
    observingSinceMs: 0,
    runs,
    processes: new Map(),
    full: new Set(),
    violations: [],
  };
}

/** Simulates external events: processes end or vanish, users cancel and pause, the orchestrator restarts. */
function disturb(world: World): void {
  const { rng } = world;
  for (const process of world.processes.values()) {
    if (!process.alive || rng.next() > 0.1) continue;
    process.alive = false;
    process.end = rng.next() < 0.2 ? "vanish" : "exit";
    const exit = exits[rng.int(exits.length)];
    if (exit && process.end === "exit") Object.assign(process, exit);
  }
  for (const { name } of nodes) if (rng.next() < 0.02 && !world.full.delete(name)) world.full.add(name);
  if (rng.next() < 0.02) world.observingSinceMs = world.nowMs;
  const someone = world.runs[rng.int(world.runs.length)];
  if (someone && rng.next() < 0.01) someone.intent = "cancel";
  if (rng.next() < 0.02) for (const run of world.runs) run.sweepIntent = run.sweepIntent === "run" ? "pause" : "run";
}

/** Simulates reports of the launcher and the log reader, which are delayed and sometimes fail. */
function observe(world: World): void {
  for (const run of world.runs) {
    const attempt = run.liveAttempt;
    if (!attempt) continue;
    const process = world.processes.get(attempt.jobId);
    attempt.state = world.rng.next() < 0.1 ? { state: "unknown", why: "time-out" } : readState(process);
    if (attempt.state.state === "running" && world.rng.next() < 0.5) run.latestIteration += 1;
    const ended = attempt.state.state === "exited" || attempt.state.state === "lost";
    if (ended && world.rng.next() < 0.7) {
      attempt.logDrained = true;
      attempt.done = process?.done ?? null;
    }
  }
}

function readState(process: Process | undefined): JobState {
  if (!process) return { state: "submitted" };
  if (process.alive) return { state: "running", pid: 1 };
  return process.end === "vanish"
    ? { state: "lost", evidence: "pid gone" }
    : { state: "exited", exitCode: process.exitCode };
}

function perform(world: World, action: Action): void {
  const run = world.runs.find(({ runId }) => runId === action.runId);
  if (!run) throw new Error("action on an unknown run");
  const dies = world.rng.next() < 0.05;
  if (action.do === "launch") {
    const jobId = `${run.runId}-${action.number}`;
    if (run.liveAttempt || world.processes.has(jobId))
      world.violations.push(`${jobId} launched beside another attempt`);
    if (world.full.has(action.node)) world.violations.push(`${jobId} launched on a full disk`);
    run.numAttempts = action.number;
    Object.assign(run, { status: "starting", reason: null });
    run.liveAttempt = {
      attemptId: action.number,
      jobId,
      node: action.node,
      devices: action.devices,
      state: { state: "submitted" },
      createdAtMs: world.nowMs,
      done: null,
      logDrained: false,
    };
    // If the orchestrator crashes between recording and submitting, the job does not exist yet.
    if (!dies) submit(world, jobId);
  } else if (action.do === "resubmit") submit(world, action.jobId);
  else if (action.do === "cancelJob" && !dies) {
    // A job that is cancelled before its submission must be rejected from then on, so it counts as lost.
    const process = world.processes.get(action.jobId);
    if (!process) world.processes.set(action.jobId, { alive: false, end: "vanish", exitCode: 0, done: null });
    else if (process.alive) Object.assign(process, { alive: false, end: "exit", exitCode: 143 });
  } else if (action.do === "setStatus") Object.assign(run, { status: action.status, reason: action.reason });
  else if (action.do === "retry") retry(world, run, action);
  else if (action.do === "end") Object.assign(run, { status: action.status, liveAttempt: null });
}

function retry(world: World, run: ReconcileRun, action: Extract<Action, { do: "retry" }>): void {
  const { reason, maxAttempts, aftermath } = action;
  const waitMs = aftermath.next === "retry" ? aftermath.waitMs : 0;
  const failures = { ...run.failures, [reason]: (run.failures[reason] ?? 0) + 1 };
  const demand = { ...run.demand, notBeforeMs: world.nowMs + waitMs };
  Object.assign(run, { status: "pending", reason, liveAttempt: null, maxAttempts, failures, demand });
}

function submit(world: World, jobId: string): void {
  if (!world.processes.has(jobId)) world.processes.set(jobId, { alive: true, end: "none", exitCode: 0, done: null });
}

function tick(world: World): void {
  world.nowMs += 1000;
  observe(world);
  const { runs, nowMs, observingSinceMs } = world;
  const state = { nodes: listOffers(world), nowMs, observingSinceMs };
  const actions = reconcile({ ...state, runs });
  if (!isDeepStrictEqual(reconcile({ ...state, runs: withoutSteady(runs, state.nodes) }), actions))
    world.violations.push("a steady run was needed");
  if (new Set(actions.map(({ runId }) => runId)).size < actions.length) world.violations.push("two actions on one run");
  for (const action of actions) {
    if (action.do === "end" || action.do === "retry") checkEvidence(world, action);
    perform(world, action);
  }
}

/** Runs that storage returns: those listed as steady are omitted if their stored state agrees (`readOpenRuns`). */
function withoutSteady(runs: readonly ReconcileRun[], offers: readonly Offer[]): ReconcileRun[] {
  const live = runs.flatMap(({ runId, liveAttempt }) => (liveAttempt ? [{ ...liveAttempt, runId }] : []));
  const steady = listSteady(live, offers);
  return runs.filter(({ runId, status, reason, intent, sweepIntent, latestIteration }) => {
    const isWanted = status === "running" && reason !== "disk_full" && intent === "run" && sweepIntent !== "cancel";
    return !(steady.includes(runId) && isWanted && latestIteration > 0);
  });
}

function listOffers({ runs, rng, full }: World): Offer[] {
  return nodes.map((node) => {
    const leased = runs.flatMap(({ liveAttempt }) => (liveAttempt?.node === node.name ? liveAttempt.devices : []));
    const isReachable = node.name !== "flaky" || rng.next() < 0.5;
    return { ...node, free: freeSlots(node.slots, leased), isReachable, isDiskFull: full.has(node.name) };
  });
}

/** Checks that an attempt ends only on evidence: its end observed, its log read, and a loss of sufficient duration. */
function checkEvidence(world: World, { runId, attemptId }: Extract<Action, { do: "end" | "retry" }>): void {
  const attempt = world.runs.find((run) => run.runId === runId)?.liveAttempt ?? null;
  if (attempt === null && attemptId === null) return;
  const seen = attempt?.state.state;
  if (seen !== "exited" && seen !== "lost") world.violations.push(`${runId} judged while ${seen}`);
  if (!attempt?.logDrained) world.violations.push(`${runId} judged before its log was read`);
  const early = world.nowMs - world.observingSinceMs < 30_000;
  if (seen === "lost" && early) world.violations.push(`${runId} judged lost during the grace period`);
}

describe("reconcile in a world that crashes", () => {
  it.each(Array.from({ length: 60 }, (_, seed) => seed))(
    "keeps every promise until every run is over, seed %i",
    (seed) => {
      const world = makeWorld(seed);
      const cancelled = new Set<string>();
      for (let i = 0; i < 3000 && !world.runs.every(({ status }) => isOver(status)); i++) {
        if (i < 300) disturb(world);
        else settle(world);
        for (const { runId, intent, status } of world.runs)
          if (intent === "cancel" && !isOver(status)) cancelled.add(runId);
        tick(world);
        checkCounts(world);
      }
      expect(world.violations).toEqual([]);
      expect(world.runs.filter(({ status }) => !isOver(status))).toEqual([]);
      const others = world.runs.filter(({ runId, status }) => cancelled.has(runId) && status !== "cancelled");
      expect(others).toEqual([]);
    },
  );
});

describe("reconcile in a world where every attempt ends the same way", () => {
  it.each([
    ["is interrupted", { end: "exit", exitCode: 75, done: { exit: "interrupted", reason: "" } }, 10],
    ["vanishes", { end: "vanish", exitCode: 0, done: null }, 3],
    ["is killed", { end: "exit", exitCode: 137, done: null }, 2],
    ["diverges", { end: "exit", exitCode: 3, done: null }, 1],
  ] as const)("gives up on a run that always %s", (_, ending, numAttempts) => {
    const world = makeWorld(1);
    for (let i = 0; i < 2000 && !world.runs.every(({ status }) => isOver(status)); i++) {
      for (const process of world.processes.values())
        if (process.alive) Object.assign(process, { alive: false, ...ending });
      tick(world);
    }
    expect(world.runs.map((run) => [run.status, run.numAttempts])).toEqual(
      world.runs.map(() => ["failed", numAttempts]),
    );
  });
});

/** Simulates a final phase in which every live process completes and no sweep is paused. */
function settle(world: World): void {
  world.full.clear();
  for (const run of world.runs) run.sweepIntent = "run";
  for (const process of world.processes.values()) {
    if (process.alive) Object.assign(process, { alive: false, end: "exit", ...exits[0] });
  }
}

function checkCounts({ runs, processes, violations }: World): void {
  const alive = [...processes].filter(([, process]) => process.alive).map(([jobId]) => jobId.split("-")[0]);
  if (new Set(alive).size < alive.length) violations.push("a run with two live attempts");
  for (const { name, slots, labels } of nodes) {
    const own = runs.filter(({ liveAttempt }) => liveAttempt?.node === name);
    const leased = own.flatMap(({ liveAttempt }) => liveAttempt?.devices ?? []);
    if (freeSlots(slots, leased).length !== slots.length - leased.length) violations.push(`${name} is overbooked`);
    for (const { runId, demand, liveAttempt } of own) {
      if (new Set(liveAttempt?.devices).size !== demand.slots) violations.push(`${runId} has too few devices`);
      if (demand.labels.some((label) => !labels.includes(label))) violations.push(`${runId} is on ${name}, unlabelled`);
    }
  }
  for (const { runId, failures } of runs) {
    for (const [reason, rule] of Object.entries(retryRules)) {
      const most = rule.again ? (rule.atMost ?? Infinity) - 1 : 0;
      if ((failures[reason] ?? 0) > most) violations.push(`${runId} tried again too often after ${reason}`);
    }
  }
}
