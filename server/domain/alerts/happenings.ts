import { shortLabel } from "#server/domain/sweep/labelTitles.ts";
import { type BudgetLine, formatBudget } from "#server/domain/cost/budgetLine.ts";
import { formatBytes } from "#server/domain/formatBytes.ts";
import { formatCount } from "#server/domain/words.ts";
import type { Guesses } from "#server/domain/people/guessing.ts";
import type { Notice } from "./notice.ts";

/** A notice before it is stored. The same key is noticed once; what lasts has a subject, which is over one day. */
export type Happening = Omit<Notice, "id" | "at"> & { key: string; subject?: string };

export type EventOfRun = {
  /** Of the detector's events. */
  kind: string;
  runId: string;
  sweepId: string;
  sweepName: string;
  tags: readonly string[];
  method: string;
  /** Of its cell within the sweep; empty where the method says it all. */
  label: string;
  seed: number;
  iteration: number;
  severity: "warning" | "unstable" | "collapsed" | "recovered";
  message: string;
};

const verbs = {
  warning: "shows a warning sign",
  unstable: "is unstable",
  collapsed: "collapsed",
  recovered: "recovered",
} as const;

/** What the detector said of a run. */
export function fromEvent({ runId, sweepId, sweepName, tags, severity, ...run }: EventOfRun): Happening {
  return {
    // Events of a run that is read again have other numbers in storage.
    key: `event:${runId}:${run.iteration}:${run.kind}:${severity}`,
    kind: "stability",
    severity,
    sweepId,
    tags,
    title: `${nameRun(run)}, ${verbs[severity]}`,
    text: `${run.message} (iteration ${run.iteration} of a run of “${sweepName}”)`,
    path: `/runs/${runId}`,
  };
}

export type OverSweep = {
  sweepId: string;
  sweepName: string;
  tags: readonly string[];
  endedAt: Date;
  numRuns: number;
  numFinished: number;
  numFailed: number;
  numCancelled: number;
  numCollapsed: number;
};

/** A sweep whose last run is over; runs that are tried again or added end it another time. */
export function fromSweep({ sweepId, sweepName, tags, endedAt, numRuns, ...counts }: OverSweep): Happening {
  const parts = [
    [counts.numFinished, "finished"],
    [counts.numFailed, "failed"],
    [counts.numCancelled, "cancelled"],
    [counts.numCollapsed, "with a collapse alarm"],
  ] as const;
  const told = parts.filter(([n]) => n > 0).map(([n, what]) => `${n} ${what}`);
  return {
    key: `over:${sweepId}:${endedAt.getTime()}`,
    kind: "sweepOver",
    severity: counts.numFailed > 0 ? "warning" : "info",
    sweepId,
    tags,
    title: `“${sweepName}” is over`,
    text: `${formatCount(numRuns, "run")}: ${told.join(", ")}`,
    path: `/sweeps/${sweepId}`,
  };
}

export type OverRun = Pick<EventOfRun, "runId" | "sweepId" | "sweepName" | "tags" | "method" | "label" | "seed"> & {
  /** Of the status event that ended it. */
  eventId: number;
  status: string;
  iteration: number;
  reason: string;
};

/** A run that is over; one that is tried again ends another time. */
export function fromRun({
  runId,
  sweepId,
  sweepName,
  tags,
  eventId,
  status,
  iteration,
  reason,
  ...run
}: OverRun): Happening {
  return {
    key: `ended:${runId}:${eventId}`,
    kind: "runOver",
    severity: status === "failed" ? "warning" : "info",
    sweepId,
    tags,
    title: `${nameRun(run)}: ${status}`,
    text: `At iteration ${iteration} of a run of “${sweepName}”${reason === "" ? "" : `: ${reason}`}`,
    path: `/runs/${runId}`,
  };
}

const nameRun = ({ method, label, seed }: Pick<EventOfRun, "method" | "label" | "seed">) =>
  `${[method, shortLabel(label)].filter((part) => part !== "").join(" ")}, seed ${seed}`;

export type SilentNode = { node: string; lastContactAt: Date; problem: string | null };

/** A node that has not answered for some minutes. @param nowMs when that was noticed */
export function fromSilence({ node, lastContactAt, problem }: SilentNode, nowMs: number): Happening {
  return {
    ...aboutLasting({ kind: "nodeSilent", subject: `silent:${node}` }, nowMs),
    title: `Node ${node} is silent`,
    text: `no answer since ${lastContactAt.toISOString()}${problem === null ? "" : `: ${problem}`}; its runs go on, and nothing is known of them`,
  };
}

export function fromFullDisk({ node, freeBytes }: { node: string; freeBytes: number }, nowMs: number): Happening {
  return {
    ...aboutLasting({ kind: "diskFull", subject: `disk:${node}` }, nowMs),
    title: `The disk of node ${node} is full`,
    text: `${formatBytes(freeBytes)} are free; what runs there waits for room`,
  };
}

/** Tells that runs have reached a limit of a budget. */
export function fromBudget({ name, key, title, days, unit, limit, used }: BudgetLine, nowMs: number): Happening {
  const time = days === null ? "" : ` within ${formatCount(days, "day")}`;
  return {
    ...aboutLasting({ kind: "budgetSpent", subject: `budget:${name}:${unit}:${key}` }, nowMs),
    title: `Budget “${name}” is spent: ${title}`,
    text: `${formatBudget(used ?? 0, unit)} used${time}, the limit is ${formatBudget(limit, unit)}; nothing is stopped for it`,
  };
}

/** Tells that somebody tries many passwords. */
export function fromGuesses({ id, subject, problem }: Guesses): Happening {
  return {
    key: `guessing:${id}`,
    kind: "guessing",
    severity: "warning",
    sweepId: null,
    tags: [],
    title: `Many wrong passwords: ${subject}`,
    text: `${problem}. Browsers that have signed in before are not slowed down`,
    path: "/audit",
  };
}

export type Open = { subject: string; kind: LastingKind; title: string };

/** What lasts until it is over. */
export const lastingKinds = ["nodeSilent", "diskFull", "budgetSpent"] as const;
type LastingKind = (typeof lastingKinds)[number];
const pages: Record<LastingKind, string> = { nodeSilent: "/nodes", diskFull: "/nodes", budgetSpent: "/cost" };

/** That something which lasted is over. @param open the notice that told of its beginning */
export function fromEnd(open: Open, nowMs: number): Happening {
  const { subject: _, key, ...about } = aboutLasting(open, nowMs);
  return {
    ...about,
    key: `over:${key}`,
    severity: "recovered",
    title: `Over: ${open.title}`,
    text: "It is as it should be again",
  };
}

/** It begins again and again: the time makes each beginning another. */
const aboutLasting = ({ kind, subject }: Pick<Open, "kind" | "subject">, nowMs: number) => ({
  key: `${subject}:${nowMs}`,
  kind,
  severity: "warning" as const,
  sweepId: null,
  tags: [],
  path: pages[kind],
  subject,
});
