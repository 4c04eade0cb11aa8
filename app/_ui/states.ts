import type { AlarmWord, HindsightWord, Severity, StabilityFacts, Status } from "#packages/detector";
import { reasonWords, statusWords, titleOf, type RunReason, type RunStatus } from "#server/domain/runs/runStatus.ts";
import type { IconName } from "./Icon.tsx";
import type { Tone } from "./StatusPill.tsx";

export type State = {
  title: string;
  icon: IconName;
  /** Colour of text and badges. */
  tone: Tone;
  /** Colour of marks and areas in drawings, as a CSS value. */
  color: string;
  meaning: string;
};

export type StateName = Status | Severity | AlarmWord | HindsightWord | RunStatus;

const undecided: State = {
  title: "Not judged yet",
  icon: "clock",
  tone: "neutral",
  color: "var(--edge)",
  meaning: "There are too few iterations for an alarm, or the run is still going.",
};

/**
 * Signs of a run's states: each state has one glyph on charts, in tables, heads, alarms and exported figures. The alarm
 * and the outcome in hindsight share a sign if they say the same. Finished runs are neutral, because they may have
 * collapsed.
 */
export const states: Record<StateName, State> = {
  collapsed: {
    title: "Collapsed",
    icon: "cross",
    tone: "bad",
    color: "var(--bad)",
    meaning:
      "In hindsight: half of the best success was lost, or a value was not finite. As an alarm: the detector is sure.",
  },
  "collapsed, recovered": {
    title: "Collapsed, recovered",
    icon: "relapse",
    tone: "bad",
    color: "var(--unstable)",
    meaning: "Half of the best success was lost and came back later.",
  },
  unstable: {
    title: "Unstable",
    icon: "warning",
    tone: "warn",
    color: "var(--unstable)",
    meaning: "Alarm: signals of the detector are so far from their range that it expects a collapse.",
  },
  warning: {
    title: "Warning",
    icon: "triangle",
    tone: "warn",
    color: "var(--caution)",
    meaning: "Signals of the detector left their range, but not far enough for an alarm.",
  },
  unclear: {
    title: "Unclear",
    icon: "wave",
    tone: "warn",
    color: "var(--warn)",
    meaning: "A lasting loss of less than half of the best success; counted as not collapsed.",
  },
  dip: {
    title: "Dip",
    icon: "dip",
    tone: "accent",
    color: "var(--accent)",
    meaning: "A loss of success that came back before it was a collapse.",
  },
  recovered: {
    title: "Recovered",
    icon: "retry",
    tone: "accent",
    color: "var(--accent)",
    meaning: "The run came back after the detector had seen a collapse.",
  },
  healthy: {
    title: "Healthy",
    icon: "check",
    tone: "good",
    color: "var(--good)",
    meaning: "No collapse, and no significant lasting loss of success.",
  },
  none: {
    title: "No alarms",
    icon: "check",
    tone: "neutral",
    color: "var(--good)",
    meaning: "No rule found a problem.",
  },
  info: {
    title: "Remark",
    icon: "info",
    tone: "neutral",
    color: "var(--muted)",
    meaning: "A remark of the detector that is no alarm.",
  },
  warmup: undecided,
  "not judged yet": undecided,
  "not judged": {
    title: "Not judged",
    icon: "dash",
    tone: "neutral",
    color: "var(--edge)",
    meaning: "The run logs no success or reward, or is too short.",
  },
  pending: { ...ofRun("pending"), icon: "hourglass", tone: "neutral" },
  starting: { ...ofRun("starting"), icon: "up", tone: "accent" },
  running: { ...ofRun("running"), icon: "play", tone: "accent" },
  unknown: { ...ofRun("unknown"), icon: "question", tone: "warn" },
  finished: { ...ofRun("finished"), icon: "flag", tone: "neutral" },
  failed: { ...ofRun("failed"), icon: "bolt", tone: "bad" },
  cancelled: { ...ofRun("cancelled"), icon: "stop", tone: "neutral" },
};

function ofRun(status: RunStatus): Pick<State, "title" | "color" | "meaning"> {
  const { title, sentence } = statusWords[status];
  return { title, color: status === "failed" ? "var(--bad)" : "var(--muted)", meaning: sentence };
}

/** Returns the state that a run's head and the list of alarms show: the outcome once it is known, else the alarm. */
export function stateOf({ alarm, hindsight }: StabilityFacts): State {
  return states[hindsight.word === "not judged yet" ? alarm.word : hindsight.word];
}

/** Formats a run's state, with the reason if it adds information: "Failed: Diverged". */
export function nameState(status: RunStatus, reason: RunReason | null): string {
  const title = titleOf(status, reason);
  if (reason === null || reason === "completed" || reason === "cancelled_by_user") return title;
  return `${title}: ${reasonWords[reason].title}`;
}

export function explainState(status: RunStatus, reason: RunReason | null, text: string | null): string {
  const sentence = reason === null ? statusWords[status].sentence : reasonWords[reason].sentence;
  return text ? `${sentence} (${text})` : sentence;
}
