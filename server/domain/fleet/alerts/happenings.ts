import { pages, runPage, sweepPage } from "#server/domain/pages.ts";
import { shortLabel } from "#server/domain/plan/sweep/labels/labelTitles.ts";
import { type BudgetLine, formatBudget } from "../cost/budgetLine.ts";
import { formatBytes, formatCount } from "#packages/base";
import { parseRunReason, reasonWords } from "#server/domain/runs/runStatus.ts";
import type { Guesses } from "#server/domain/people/newPassword.ts";
import type { Notice } from "./notice.ts";

/** Alert to store once by its key. The alert about the end of a lasting condition is matched to it by `subject`. */
export type Happening = Omit<Notice, "id" | "at"> & { key: string; subject?: string };

export type EventOfRun = {
  /** Kind of the detector's event: alarm or recovery. */
  kind: string;
  runId: string;
  sweepId: string;
  sweepName: string;
  tags: readonly string[];
  method: string;
  /** Label of the run's cell within the sweep; empty if the method alone identifies the cell. */
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

/** Makes the alert for an alarm or recovery that the detector reported; `advice` is a further sentence. */
export function fromEvent({ runId, sweepId, sweepName, tags, severity, ...run }: EventOfRun, advice = ""): Happening {
  return {
    // The key omits the id of the detector's event, which changes when the detector processes the run again.
    key: `event:${runId}:${run.iteration}:${run.kind}:${severity}`,
    kind: "stability",
    severity,
    sweepId,
    tags,
    title: `${nameRun(run)}, ${verbs[severity]}`,
    text: [`${run.message} (iteration ${run.iteration}, sweep “${sweepName}”)`, advice].filter(Boolean).join(". "),
    path: runPage(runId),
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
  /** Number of failed runs by reason. */
  failures: Readonly<Record<string, number>>;
  numCancelled: number;
  numCollapsed: number;
};

/** Makes the alert for a sweep whose runs have all ended. After a retry, the sweep ends again with another key. */
export function fromSweep({ sweepId, sweepName, tags, endedAt, numRuns, ...counts }: OverSweep): Happening {
  const parts = [
    [counts.numFinished, "finished"],
    [counts.numFailed, `failed${nameFailures(counts.failures)}`],
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
    title: `Sweep “${sweepName}” has ended`,
    text: `${formatCount(numRuns, "run")}: ${told.join(", ")}`,
    path: sweepPage(sweepId),
  };
}

/** Names the reasons of failed runs, most frequent first: " (2 × GPU out of memory, killed)". */
function nameFailures(failures: OverSweep["failures"]): string {
  const sorted = Object.entries(failures).toSorted(([, a], [, b]) => b - a);
  const named = sorted.map(([reason, n]) => `${n > 1 ? `${n} × ` : ""}${nameReason(reason)}`);
  return named.length === 0 ? "" : ` (${named.join(", ")})`;
}

function nameReason(text: string): string {
  const reason = parseRunReason(text);
  return reason === null ? text : reasonWords[reason].title;
}

export type MissingMetric = Pick<EventOfRun, "sweepId" | "sweepName" | "tags"> & {
  /** Message with the named metric and the step at which it was due. */
  text: string;
};

export type OverRun = Pick<EventOfRun, "runId" | "sweepId" | "sweepName" | "tags" | "method" | "label" | "seed"> & {
  /** Id of the status event that ended the run. */
  eventId: number;
  status: string;
  iteration: number;
  /** Reason of the run's end, as stored with the run; null if it has none. */
  runReason: string | null;
  /** Sentence about the end, with what follows. */
  reason: string;
};

/** Makes the alert for a run that ended. A retried run ends again with another key. */
export function fromRun(run: OverRun): Happening {
  const { runId, sweepId, tags, status, runReason, reason } = run;
  const why = status === "failed" && runReason !== null ? ` (${nameReason(runReason)})` : "";
  return {
    key: `ended:${runId}:${run.eventId}`,
    kind: "runOver",
    severity: status === "failed" ? "warning" : "info",
    sweepId,
    tags,
    title: `${nameRun(run)}: ${status}${why}`,
    text: `Ended at iteration ${run.iteration}, in sweep “${run.sweepName}”${reason === "" ? "" : `: ${reason}`}`,
    path: runPage(runId),
  };
}

const nameRun = ({ method, label, seed }: Pick<EventOfRun, "method" | "label" | "seed">) =>
  `${[method, shortLabel(label)].filter((part) => part !== "").join(" ")}, seed ${seed}`;

export type SilentRun = Omit<OverRun, "eventId" | "status" | "runReason">;

/** Makes the alert for a run that trains but has not logged a line for long. */
export function fromSilentRun(run: SilentRun, nowMs: number): Happening {
  const { runId, sweepId, tags, iteration, sweepName, reason } = run;
  return {
    ...aboutLasting({ kind: "noProgress", subject: `progress:${runId}` }, nowMs),
    sweepId,
    tags,
    title: `${nameRun(run)}: no progress`,
    text: `At iteration ${iteration}, in sweep “${sweepName}”: ${reason}. The run may hang`,
    path: runPage(runId),
  };
}

/** Makes the alert that runs of a sweep did not log a metric that the plan names: once for all runs. */
export function fromMissingMetric({ sweepId, sweepName, tags, text }: MissingMetric): Happening {
  return {
    key: `missingMetric:${sweepId}:${text}`,
    kind: "missingMetric",
    severity: "warning",
    sweepId,
    tags,
    title: `Sweep “${sweepName}”: a metric of the plan is not logged`,
    text,
    path: sweepPage(sweepId),
  };
}

export type SilentNode = { node: string; lastContactAt: Date; problem: string | null };

/** Makes the alert for a compute node that has not answered for minutes; `nowMs` is the time of detection. */
export function fromSilence({ node, lastContactAt, problem }: SilentNode, nowMs: number): Happening {
  return {
    ...aboutLasting({ kind: "nodeSilent", subject: `silent:${node}` }, nowMs),
    title: `Node ${node} is silent`,
    text: `no answer since ${lastContactAt.toISOString()}${problem === null ? "" : `: ${problem}`}; the node's runs continue, but their state is unknown`,
  };
}

export function fromFullDisk({ node, freeBytes }: { node: string; freeBytes: number }, nowMs: number): Happening {
  return {
    ...aboutLasting({ kind: "diskFull", subject: `disk:${node}` }, nowMs),
    title: `The disk of node ${node} is full`,
    text: `${formatBytes(freeBytes)} free; the node's runs wait for more space`,
  };
}

export function fromBudget({ name, key, title, days, unit, limit, used }: BudgetLine, nowMs: number): Happening {
  const time = days === null ? "" : ` within ${formatCount(days, "day")}`;
  return {
    ...aboutLasting({ kind: "budgetSpent", subject: `budget:${name}:${unit}:${key}` }, nowMs),
    title: `Budget “${name}” is spent: ${title}`,
    text: `${formatBudget(used ?? 0, unit)} used${time}, the limit is ${formatBudget(limit, unit)}; no run is stopped`,
  };
}

export function fromGuesses({ id, subject, problem }: Guesses): Happening {
  return {
    key: `guessing:${id}`,
    kind: "guessing",
    severity: "warning",
    sweepId: null,
    tags: [],
    title: `Many wrong passwords: ${subject}`,
    text: `${problem}. Browsers that have signed in before are not limited`,
    path: pages.changes,
  };
}

export type Open = { subject: string; kind: LastingKind; title: string };

/** Kinds of alerts about conditions that last until someone or something resolves them. */
export const lastingKinds = ["nodeSilent", "diskFull", "budgetSpent", "noProgress"] as const;
type LastingKind = (typeof lastingKinds)[number];
const pageOf: Record<LastingKind, string> = {
  nodeSilent: pages.nodes,
  diskFull: pages.nodes,
  budgetSpent: pages.cost,
  noProgress: pages.runs,
};

/** Makes the alert that a lasting condition ended; `open` is the alert of its beginning. */
export function fromEnd(open: Open, nowMs: number): Happening {
  const { subject: _, key, ...about } = aboutLasting(open, nowMs);
  return {
    ...about,
    key: `over:${key}`,
    severity: "recovered",
    title: `Resolved: ${open.title}`,
    text: "The problem no longer exists",
  };
}

/** Returns the shared fields of alerts about a lasting condition. The key has the time, as a condition may recur. */
const aboutLasting = ({ kind, subject }: Pick<Open, "kind" | "subject">, nowMs: number) => ({
  key: `${subject}:${nowMs}`,
  kind,
  severity: "warning" as const,
  sweepId: null,
  tags: [],
  path: pageOf[kind],
  subject,
});
