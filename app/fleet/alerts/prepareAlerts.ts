import type { LoggedDelivery } from "#server/db/fleet/alertDeliveries.ts";
import type { NoticeKind } from "#server/domain/fleet/alerts/alertsFile.ts";
import type { ChannelSummary } from "#server/domain/fleet/alerts/summary.ts";
import type { IconName } from "#app/_ui/Icon.tsx";
import type { Tone } from "#app/_ui/StatusPill.tsx";

const services: Record<ChannelSummary["kind"], string> = {
  webhook: "Webhook",
  slack: "Slack",
  discord: "Discord",
  mattermost: "Mattermost",
  email: "E-mail",
};

const kinds: Record<Exclude<NoticeKind, "stability">, string> = {
  sweepOver: "sweeps that end",
  runOver: "every run that ends",
  nodeSilent: "silent nodes",
  diskFull: "full disks",
  budgetSpent: "spent budgets",
  guessing: "many wrong passwords",
};

const severities: Record<ChannelSummary["severity"], string> = {
  warning: "runs with a warning sign, unstable or collapsed",
  unstable: "runs that are unstable or collapsed",
  collapsed: "runs that collapsed",
};

/** Target, events and schedule of a channel, one sentence each. */
export function describeChannel(channel: ChannelSummary): string[] {
  const { kind, to, tells, severity, sweeps, tags, digestMinutes, quiet } = channel;
  const what = tells.map((one) => (one === "stability" ? severities[severity] : kinds[one]));
  const which = [...sweeps.map((sweep) => `sweep ${sweep}`), ...tags.map((tag) => `sweeps with tag ${tag}`)];
  return [
    `${services[kind]} to ${to}`,
    `Notifies of ${join(what)}${which.length === 0 ? "" : `; of ${join(which)} only`}`,
    ...(digestMinutes > 0 ? [`Events within ${digestMinutes} minutes are sent as one message`] : []),
    ...(quiet === undefined ? [] : [`Quiet from ${quiet.from} to ${quiet.to} (${quiet.timeZone})`]),
  ];
}

const join = (words: readonly string[]) =>
  words.length < 2 ? words.join("") : `${words.slice(0, -1).join(", ")} and ${words.at(-1)}`;

/** Tone and icon of a delivery's state. */
export const deliveryLooks: Record<LoggedDelivery["state"], { tone: Tone; icon: IconName; text: string }> = {
  waiting: { tone: "accent", icon: "clock", text: "Waiting" },
  sent: { tone: "good", icon: "check", text: "Sent" },
  failed: { tone: "bad", icon: "warning", text: "Given up" },
};

/** Time at which a waiting message is sent, in words. */
export function formatDue(at: Date, nowMs: number): string {
  const seconds = Math.ceil((at.getTime() - nowMs) / 1000);
  if (seconds <= 0) return "now";
  if (seconds < 90) return `in ${seconds} s`;
  const minutes = Math.ceil(seconds / 60);
  return minutes < 90 ? `in ${minutes} min` : `in ${Math.ceil(minutes / 60)} h`;
}
