import type { CollapseEvent, Evidence, EventKind, Severity } from "../event.ts";
import { rank, type Status } from "./status.ts";

/** Last step of each status and remark. One that returns soon creates no new event. */
export type News = Readonly<Record<string, number>>;

/** A remark that creates its own event, at any status. */
export type Remark = { name: string; kind: EventKind; severity: Severity; message: string };

type Input = {
  step: number;
  before: Status;
  after: Status;
  /** Kind of the event, and its message; computed only if there is an event. */
  cause: () => EventKind;
  say: () => string;
  remarks: readonly Remark[];
  merge: number;
};

export type NewEvent = Pick<CollapseEvent, "kind" | "severity" | "message">;

/** Finds new events: one if the status rises, one if the run recovers, and one for each remark that begins. */
export function findNewEvents(news: News, input: Input): { news: News; events: NewEvent[] } {
  const { step, before, after, cause, say, remarks, merge } = input;
  const next: Record<string, number> = { ...news };
  const events: NewEvent[] = [];
  const isNew = (name: string) => step - (news[name] ?? -Infinity) > merge;
  if (rank[after] > rank[before] && isNew(after))
    events.push({ kind: cause(), severity: toSeverity(after), message: say() });
  if (after === "recovered" && before === "collapsed")
    events.push({ kind: "recovery", severity: "recovered", message: say() });
  for (const status of ["warning", "unstable", "collapsed"] as const) {
    if (rank[after] >= rank[status]) next[status] = step;
  }
  for (const { name, kind, severity, message } of remarks) {
    if (isNew(name)) events.push({ kind, severity, message });
    next[name] = step;
  }
  return { news: next, events };
}

function toSeverity(status: Status): Severity {
  return status === "healthy" || status === "warmup" ? "info" : status;
}

export function toEvents(events: readonly NewEvent[], evidence: Evidence, detectorVersion: string): CollapseEvent[] {
  return events.map((event) => ({ iteration: evidence.to, ...event, detectorVersion, evidence }));
}
