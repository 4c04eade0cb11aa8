import { describeAftermath, describeCanceller } from "./cancellation.ts";
import { isEnded, type JobState } from "./job.ts";
import { freeSlots } from "./nodes/slots.ts";
import { type Demand, findFullDisk, type Offer, type Assignment, assign } from "./nodes/assign.ts";
import { type DiskThen, readOutcome, type Done } from "./outcome.ts";
import { type Aftermath, decideRetry } from "./retry.ts";
import { describeSilence, isOverLimit, isStuck, type Silence } from "./silence.ts";
import { isOver, describeFullDisks, type RunReason, type RunStatus } from "#server/domain/runs/runStatus.ts";
import { formatCount } from "#packages/base";

export type LiveAttempt = {
  attemptId: number;
  jobId: string;
  node: string;
  devices: readonly string[];
  state: JobState;
  createdAtMs: number;
  /** The `done` event in the attempt's log; null if none has been read. */
  done: Done | null;
  /** True if the log was read to its end after the job had ended. */
  logDrained: boolean;
  /** End of the error output of a job that ended without a `done` event. */
  lastWords?: string | undefined;
  /** Present if the log has had no new line for at least `minSilenceMs`. */
  silence?: Silence | undefined;
};

export type ReconcileRun = {
  runId: string;
  sweepId: string;
  status: RunStatus;
  reason: RunReason | null;
  /** Intended state of the run. "stop": the sweep's stopping rule ends it, which is not a failure. */
  intent: "run" | "cancel" | "stop";
  sweepIntent: "run" | "pause" | "cancel";
  /** User who cancelled the run, as in the log of changes; null if nobody did. */
  cancelledBy?: string | null;
  maxAttempts: number;
  /** Number of attempts, including the live attempt. */
  numAttempts: number;
  failures: Readonly<Record<string, number>>;
  liveAttempt: LiveAttempt | null;
  demand: Demand;
  /** True for a run of an external trainer. A full disk does not stop it: it may have no checkpoint to resume from. */
  isExternal: boolean;
  /** Id of the run's initial policy, which other runs may use too; null if creating the policy takes no time. */
  start: string | null;
  /** True for the lowest seed of its configuration, which starts before other seeds, to compare methods early. */
  isFirstSeed: boolean;
  latestIteration: number;
  /** Time in ms without a new log line after which the plan ends an attempt; null if it never does. */
  maxSilenceMs?: number | null;
  /** Position in the scheduling order, smallest first: launch time of the sweep minus its priority. */
  order: number;
};

export type ReconcileState = {
  runs: readonly ReconcileRun[];
  /** Compute nodes with their free slots. A slot is free if no live attempt of any sweep uses it, observable or not. */
  nodes: readonly Offer[];
  nowMs: number;
  /** Time at which this orchestrator began to observe jobs; no job is declared lost within a grace period. */
  observingSinceMs: number;
  graceMs?: number;
  resubmitAfterMs?: number;
};

/** Action on one run that the orchestrator performs. A run without an action waits. */
export type Action =
  /** Starts a run: records attempt `number` and the run as starting in one transaction, then submits the job. */
  | { do: "launch"; runId: string; number: number; node: string; devices: readonly string[] }
  /** Submits a job again, in case of a crash before its first submission; launchers ignore a known job id. */
  | { do: "resubmit"; runId: string; attemptId: number; jobId: string; node: string; devices: readonly string[] }
  | {
      do: "setStatus";
      runId: string;
      status: "pending" | "starting" | "running" | "unknown";
      reason: RunReason | null;
      text: string;
    }
  | { do: "cancelJob"; runId: string; attemptId: number; jobId: string; node: string }
  /** Ends the attempt and makes the run wait again, with `maxAttempts` as its new limit of attempts. */
  | (Judgement & { do: "retry"; attemptId: number; maxAttempts: number; aftermath: Aftermath })
  | (Judgement & { do: "end"; attemptId: number | null; status: EndStatus; aftermath: Aftermath | null });
type Judgement = { runId: string; reason: RunReason; text: string };
type EndStatus = "finished" | "failed" | "cancelled";

/**
 * Decides the orchestrator's next action for every run, from stored and observed state. The function is pure and
 * idempotent: the same state gives the same actions, and repeated actions have no further effect.
 */
export function reconcile(state: ReconcileState): Action[] {
  const actions: Action[] = [];
  let offers = state.nodes;
  const open = state.runs.filter(({ status }) => !isOver(status)).toSorted((a, b) => a.order - b.order);
  const inTheMaking = new Set(open.flatMap((run) => (isMakingStart(run) ? [run.start] : [])));
  const act = (run: ReconcileRun): void => {
    if (run.liveAttempt) {
      const action = decideLive(run, run.liveAttempt, state);
      if (action) actions.push(action);
      return;
    }
    const { action, takes } = decideIdle(run, { offers, nowMs: state.nowMs });
    if (takes) offers = offers.map((offer) => withLease(offer, takes));
    if (action?.do === "launch" && run.start !== null) inTheMaking.add(run.start);
    if (action) actions.push(action);
  };
  let waiting: ReconcileRun[] = [];
  for (const [i, run] of open.entries()) {
    // A further seed waits behind the sweep's other runs while another run creates its initial policy, to reuse it.
    if (!run.liveAttempt && !run.isFirstSeed && inTheMaking.has(run.start)) waiting.push(run);
    else act(run);
    if (open[i + 1]?.sweepId === run.sweepId) continue;
    for (const late of waiting) act(late);
    waiting = [];
  }
  return actions;
}

/**
 * Lists runs whose jobs run on a node with disk space. A listed run needs no decision if it is also stored as
 * running, not cancelled and past its first iteration. Before that, it may be creating an initial policy for other
 * runs too.
 */
export function listSteady(live: readonly (LiveAttempt & { runId: string })[], nodes: readonly Offer[]): string[] {
  const full = nodes.filter(({ isDiskFull }) => isDiskFull === true).map(({ name }) => name);
  return live.flatMap(({ runId, state, node, silence }) =>
    state.state === "running" && silence === undefined && !full.includes(node) ? [runId] : [],
  );
}

function isMakingStart({ start, liveAttempt, latestIteration }: ReconcileRun): boolean {
  return start !== null && liveAttempt !== null && latestIteration === 0;
}

function withLease(offer: Offer, lease: { node: string; devices: readonly string[] }): Offer {
  return offer.name === lease.node ? { ...offer, free: freeSlots(offer.free, lease.devices) } : offer;
}

function isCancelled(run: ReconcileRun): boolean {
  return run.intent !== "run" || run.sweepIntent === "cancel";
}

/** Decision for a run without a job. `takes`: node and slots that it gets, or would get if the disk were not full. */
type Idle = { action?: Action; takes?: Assignment };

function decideIdle(run: ReconcileRun, now: { offers: readonly Offer[]; nowMs: number }): Idle {
  if (isCancelled(run)) return { action: endCancelled(run, null) };
  if (run.numAttempts >= run.maxAttempts) {
    const text = `${run.numAttempts} of ${formatCount(run.maxAttempts, "attempt")} used`;
    const end = { do: "end", runId: run.runId, attemptId: null, status: "failed", aftermath: null } as const;
    return { action: { ...end, reason: "attempts_used_up", text } };
  }
  if (run.sweepIntent === "pause" || now.nowMs < run.demand.notBeforeMs) return {};
  // A run that fits on no node waits, but the runs after it are still tried.
  const found = assign(run.demand, now.offers);
  if (found) return { action: { do: "launch", runId: run.runId, number: run.numAttempts + 1, ...found }, takes: found };
  const full = findFullDisk(run.demand, now.offers);
  const wait = { do: "setStatus", runId: run.runId, status: "pending" } as const;
  if (full === undefined) {
    return run.reason === "disk_full" ? { action: { ...wait, reason: null, text: "waits for a free slot" } } : {};
  }
  if (run.reason === "disk_full") return { takes: full };
  return { takes: full, action: { ...wait, reason: "disk_full", text: describePause(full.node) } };
}

function describePause(node: string): string {
  return `paused: ${describeFullDisks([node])}`;
}

function decideLive(run: ReconcileRun, attempt: LiveAttempt, clock: ReconcileState): Action | undefined {
  const { runId } = run;
  const { attemptId, jobId, node } = attempt;
  const tooEarly = clock.nowMs - clock.observingSinceMs < (clock.graceMs ?? 30_000);
  if (attempt.state.state === "lost" && tooEarly) return undefined;
  const disk = {
    isFull: clock.nodes.some(({ name, isDiskFull }) => name === node && isDiskFull === true),
    hasAskedToLeave: run.reason === "disk_full",
  };
  const { done, logDrained: drained, lastWords } = attempt;
  const outcome = readOutcome(attempt.state, { done, drained, lastWords }, disk);
  if (isCancelled(run)) {
    if (!outcome.ended) {
      return isEnded(attempt.state) ? undefined : { do: "cancelJob", runId, attemptId, jobId, node };
    }
    // A run that completed before the stop request counts as finished.
    if (run.intent !== "stop" || outcome.reason !== "completed") return endCancelled(run, attemptId);
  }
  if (!outcome.ended) return makeWay(run, attempt, disk) ?? follow(run, attempt, clock);
  const reason = isEndedForSilence(run, outcome.reason) ? "no_progress" : outcome.reason;
  const text = reason === "disk_full" ? `${describePause(node)} (${outcome.text})` : outcome.text;
  if (reason === "completed") {
    return { do: "end", runId, attemptId, status: "finished", reason, text, aftermath: null };
  }
  const { numAttempts, maxAttempts } = run;
  const circumstances = { numAttempts, maxAttempts, numSame: run.failures[reason] ?? 0, machine: machineOf(attempt) };
  const { aftermath, ...allowance } = decideRetry(reason, circumstances);
  const judgement = { runId, attemptId, reason, text: `${text}; ${describeAftermath(aftermath)}`, aftermath };
  if (aftermath.next === "retry") return { do: "retry", ...judgement, ...allowance };
  return { do: "end", status: "failed", ...judgement };
}

/** True if the plan's limit ended a silent attempt: its end then looks like one from outside. */
function isEndedForSilence({ reason, maxSilenceMs = null }: ReconcileRun, ended: RunReason): boolean {
  return reason === "no_progress" && maxSilenceMs !== null && ["interrupted", "killed", "lost"].includes(ended);
}

/** Returns the machine to which a failure is attributed; the node if it is unknown which of its machines failed. */
function machineOf({ node, state }: LiveAttempt): string {
  const host = isEnded(state) ? state.host : undefined;
  return host === undefined ? node : `${node}/${host}`;
}

/**
 * Asks a run to save and exit while the disk has space. The request is recorded first, as the reason for the run's end.
 */
function makeWay(run: ReconcileRun, attempt: LiveAttempt, disk: DiskThen): Action | undefined {
  const { runId, isExternal } = run;
  const { attemptId, jobId, node, state } = attempt;
  if (state.state !== "running" || isExternal) return undefined;
  if (disk.hasAskedToLeave) return { do: "cancelJob", runId, attemptId, jobId, node };
  if (!disk.isFull) return undefined;
  const text = `${describeFullDisks([node])}: the trainer was asked to save a checkpoint and exit until the disk has free space`;
  return { do: "setStatus", runId, status: "running", reason: "disk_full", text };
}

function follow(run: ReconcileRun, attempt: LiveAttempt, clock: ReconcileState): Action | undefined {
  const { runId } = run;
  const { state, attemptId, jobId, node, devices } = attempt;
  if (state.state === "submitted") {
    const age = clock.nowMs - attempt.createdAtMs;
    if (age >= (clock.resubmitAfterMs ?? 10_000)) return { do: "resubmit", runId, attemptId, jobId, node, devices };
    return run.status === "starting" ? undefined : setStatus(runId, "starting", "submitted");
  }
  if (state.state === "queued" && run.status !== "starting")
    return setStatus(runId, "starting", `queued: ${state.why}`);
  if (state.state === "running" && run.status !== "running") return setStatus(runId, "running", describeRunning(state));
  if (state.state === "running") return followSilence(run, attempt);
  if (state.state !== "unknown" || run.status === "unknown") return undefined;
  return { do: "setStatus", runId, status: "unknown", reason: "unobservable", text: state.why };
}

/**
 * Reports a run without progress, and ends its attempt after the plan's limit. The report is recorded first; the last
 * lines of the ended attempt do not take it back.
 */
function followSilence(run: ReconcileRun, { attemptId, jobId, node, silence, done }: LiveAttempt): Action | undefined {
  const { runId, reason, maxSilenceMs = null } = run;
  const isReported = reason === "no_progress";
  if (silence === undefined || !isStuck(silence, maxSilenceMs)) {
    return isReported && done === null ? setStatus(runId, "running", "the run logs again") : undefined;
  }
  if (!isReported) {
    return { do: "setStatus", runId, status: "running", reason: "no_progress", text: describeSilence(silence) };
  }
  return isOverLimit(silence, maxSilenceMs) ? { do: "cancelJob", runId, attemptId, jobId, node } : undefined;
}

function describeRunning({ pid, host, text }: Extract<JobState, { state: "running" }>): string {
  const words = [pid !== undefined && `pid ${pid}`, host !== undefined && `on ${host}`, text];
  return words.filter(Boolean).join(", ") || "seen running";
}

function setStatus(runId: string, status: "starting" | "running", text: string): Action {
  return { do: "setStatus", runId, status, reason: null, text };
}

function endCancelled({ runId, intent, sweepIntent, cancelledBy }: ReconcileRun, attemptId: number | null): Action {
  if (intent === "stop" && sweepIntent !== "cancel") {
    const text = "stopped by the sweep's early-stopping rule";
    return { do: "end", runId, attemptId, status: "finished", reason: "stopped_by_rule", text, aftermath: null };
  }
  const text = cancelledBy == null ? "cancelled on request" : `cancelled ${describeCanceller(cancelledBy)}`;
  return { do: "end", runId, attemptId, status: "cancelled", reason: "cancelled_by_user", text, aftermath: null };
}
