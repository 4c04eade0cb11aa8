import type { Status } from "#server/domain/stability/verdict/status.ts";
import type { Severity } from "#server/domain/stability/event.ts";
import type { Hindsight } from "#server/domain/stability/label/hindsight.ts";
import type { IconName } from "#app/_ui/Icon.tsx";
import type { Tone } from "#app/_ui/StatusPill.tsx";

type Look = { title: string; icon: IconName; tone: Tone; fill: string };

/** A run's state by the detector, in words, icon and colour. */
export const statusLooks: Record<Status, Look> = {
  warmup: { title: "Warming up", icon: "clock", tone: "neutral", fill: "var(--line)" },
  healthy: { title: "Healthy", icon: "check", tone: "good", fill: "var(--good)" },
  warning: { title: "Warning", icon: "info", tone: "warn", fill: "var(--caution)" },
  unstable: { title: "Unstable", icon: "warning", tone: "warn", fill: "var(--unstable)" },
  collapsed: { title: "Collapsed", icon: "stop", tone: "bad", fill: "var(--bad)" },
  recovered: { title: "Recovered", icon: "retry", tone: "accent", fill: "var(--accent)" },
};

/** Worst first, as the overview sorts. */
export const badness: Record<Status, number> = {
  collapsed: 0,
  unstable: 1,
  warning: 2,
  recovered: 3,
  warmup: 5,
  healthy: 4,
};

export const severityLooks: Record<Severity, Omit<Look, "fill"> & { color: string }> = {
  info: { title: "Remark", icon: "info", tone: "neutral", color: "var(--muted)" },
  warning: { title: "Warning", icon: "info", tone: "warn", color: "var(--warn)" },
  unstable: { title: "Unstable", icon: "warning", tone: "warn", color: "var(--unstable)" },
  collapsed: { title: "Collapsed", icon: "stop", tone: "bad", color: "var(--bad)" },
  recovered: { title: "Recovered", icon: "retry", tone: "accent", color: "var(--accent)" },
};

const labels: Record<Hindsight["label"]["kind"], string> = {
  healthy: "healthy",
  dip: "dip",
  ambiguous: "ambiguous",
  collapseTerminal: "collapsed",
  collapseRecovered: "collapsed, recovered",
  nonFinite: "not finite",
};

const labelNames = new Map<string, string>(Object.entries(labels));

/** What a kind of label is called on a page. */
export function nameLabelKind(kind: string): string {
  return labelNames.get(kind) ?? kind;
}

/** "collapsed at 131, stalled": the hindsight label in words. */
export function nameLabel({ kind, collapseStep, tags }: Hindsight["label"]): string {
  const at = collapseStep === undefined ? "" : ` at ${collapseStep.toLocaleString("en-US")}`;
  return [`${labels[kind]}${at}`, ...tags.map((tag) => (tag === "hack" ? "reward hacking" : tag))].join(", ");
}
