import {
  type Status,
  type Severity,
  nameOutcome,
  toOutcome,
  type AlarmWord,
  type HindsightWord,
  type Hindsight,
} from "#packages/detector";
import type { IconName } from "#app/_ui/Icon.tsx";
import type { Tone } from "#app/_ui/StatusPill.tsx";

type Look = { title: string; icon: IconName; tone: Tone; fill: string };

export const statusLooks: Record<Status, Look> = {
  warmup: { title: "Not judged yet", icon: "clock", tone: "neutral", fill: "var(--line)" },
  healthy: { title: "Healthy", icon: "check", tone: "good", fill: "var(--good)" },
  warning: { title: "Warning", icon: "info", tone: "warn", fill: "var(--caution)" },
  unstable: { title: "Unstable", icon: "warning", tone: "warn", fill: "var(--unstable)" },
  collapsed: { title: "Collapsed", icon: "warning", tone: "bad", fill: "var(--bad)" },
  recovered: { title: "Recovered", icon: "retry", tone: "accent", fill: "var(--accent)" },
};

export const severityLooks: Record<Severity, Omit<Look, "fill"> & { color: string }> = {
  info: { title: "Remark", icon: "info", tone: "neutral", color: "var(--muted)" },
  warning: { title: "Warning", icon: "info", tone: "warn", color: "var(--warn)" },
  unstable: { title: "Unstable", icon: "warning", tone: "warn", color: "var(--unstable)" },
  collapsed: { title: "Collapsed", icon: "warning", tone: "bad", color: "var(--bad)" },
  recovered: { title: "Recovered", icon: "retry", tone: "accent", color: "var(--accent)" },
};

type FactLook = Omit<Look, "title" | "fill">;

/**
 * Icon and colour of each alarm of the detector; `nameAlarm` returns its text. An alarm is a triangle, as on charts. A
 * collapse in hindsight is a cross.
 */
export const alarmLooks: Record<AlarmWord, FactLook> = {
  "not judged": { icon: "question", tone: "neutral" },
  "not judged yet": { icon: "clock", tone: "neutral" },
  none: { icon: "check", tone: "neutral" },
  warning: { icon: "info", tone: "warn" },
  unstable: { icon: "warning", tone: "warn" },
  collapsed: { icon: "warning", tone: "bad" },
};

/** Icon and colour of each outcome in hindsight; `nameOutcome` returns its text. */
export const hindsightLooks: Record<HindsightWord, FactLook> = {
  "not judged": { icon: "question", tone: "neutral" },
  "not judged yet": { icon: "clock", tone: "neutral" },
  healthy: { icon: "check", tone: "good" },
  dip: { icon: "retry", tone: "accent" },
  unclear: { icon: "info", tone: "warn" },
  collapsed: { icon: "cross", tone: "bad" },
  "collapsed, recovered": { icon: "cross", tone: "bad" },
};

/** Formats the label in hindsight with its tags: "Collapsed at 131, stalled". */
export function nameLabel(label: Hindsight["label"]): string {
  return [
    nameOutcome(toOutcome(label, false)),
    ...label.tags.map((tag) => (tag === "hack" ? "reward hacking" : tag)),
  ].join(", ");
}
