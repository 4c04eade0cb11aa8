import { expect, it, test } from "vitest";
import { Channel } from "#server/domain/fleet/alerts/alertsFile.ts";
import { summarise } from "#server/domain/fleet/alerts/message.ts";
import { formatDue } from "./AlertsView.tsx";
import { describeChannel } from "./describeChannel.ts";

it("says where a channel leads without its secret, what it tells and when", () => {
  const quiet = { from: "22:00", to: "07:00", timeZone: "Europe/Berlin" };
  const url = "https://hooks.slack.com/services/T0/B0/secret";
  const channels = [
    Channel.parse({ kind: "slack", name: "team", url, tags: ["paper"], digestMinutes: 10, quiet }),
    Channel.parse({
      kind: "email",
      name: "me",
      to: ["a@x.org", "b@x.org"],
      tells: ["stability"],
      severity: "collapsed",
    }),
  ];
  expect(summarise({ channels, allowPrivate: [] }).map(describeChannel)).toEqual([
    [
      "Slack to hooks.slack.com",
      "Reports runs that are unstable or collapsed, sweeps that end, runs without progress, silent nodes, full disks, spent budgets, many wrong passwords and metrics that a plan names and a run does not log, only for sweeps with tag paper",
      "Events within 10 minutes are sent as one message",
      "Quiet from 22:00 to 07:00 (Europe/Berlin)",
    ],
    ["E-mail to a@x.org, b@x.org", "Reports runs that collapsed"],
  ]);
});

test.each([
  [-5, "now"],
  [15, "in 15 s"],
  [100, "in 2 min"],
  [6000, "in 2 h"],
])("a message due after %s s is sent %s", (seconds, words) => {
  expect(formatDue(new Date(1000 * seconds), 0)).toBe(words);
});
