import { formatCount } from "#packages/base";
import type { NoticeKind } from "#server/domain/fleet/alerts/alertsFile.ts";
import type { ChannelSummary } from "#server/domain/fleet/alerts/message.ts";

export const services: Record<ChannelSummary["kind"], string> = {
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
  noProgress: "runs without progress",
  budgetSpent: "spent budgets",
  guessing: "many wrong passwords",
  missingMetric: "metrics that a plan names and a run does not log",
};

export const severities: Record<ChannelSummary["severity"], string> = {
  warning: "runs with a warning sign, unstable or collapsed",
  unstable: "runs that are unstable or collapsed",
  collapsed: "runs that collapsed",
};

export function describeChannel(channel: ChannelSummary): string[] {
  const { kind, to, tells, severity, sweeps, tags, digestMinutes, quiet } = channel;
  const what = tells.map((one) => (one === "stability" ? severities[severity] : kinds[one]));
  const which = [...sweeps.map((sweep) => `sweep ${sweep}`), ...tags.map((tag) => `sweeps with tag ${tag}`)];
  return [
    `${services[kind]} to ${to}`,
    `Reports ${join(what)}${which.length === 0 ? "" : `, only for ${join(which)}`}`,
    ...(digestMinutes > 0 ? [`Events within ${formatCount(digestMinutes, "minute")} are sent as one message`] : []),
    ...(quiet === undefined ? [] : [`Quiet from ${quiet.from} to ${quiet.to} (${quiet.timeZone})`]),
  ];
}

const join = (words: readonly string[]) =>
  words.length < 2 ? words.join("") : `${words.slice(0, -1).join(", ")} and ${words.at(-1)}`;
