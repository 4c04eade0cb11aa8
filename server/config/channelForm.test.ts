import { expect, it } from "vitest";
import { parse } from "yaml";
import { putChannel, removeChannel, type ChannelForm } from "./channelForm.ts";

const file = `# Our receivers
address: https://studio.example.org
smtp: { host: mail.example.org, from: s@example.org, password: planted } # the relay
channels:
  # the team's room
  - kind: slack
    name: team
    url: https://hooks.slack.com/planted
    tags: [paper]
`;
const slack: ChannelForm = { kind: "slack", name: "lab", url: "https://hooks.slack.com/x", severity: "unstable" };
const channelsOf = (text: string) => (parse(text) as { channels: unknown[] }).channels;

it("begins a file, and adds to one without losing comments or other settings", () => {
  expect(channelsOf(putChannel("", slack))).toEqual([slack]);
  const added = putChannel(file, slack);
  for (const line of file.trimEnd().split("\n").slice(0, -1)) expect(added).toContain(line);
  expect(parse(added)).toMatchObject({ smtp: { password: "planted" }, channels: [{ tags: ["paper"] }, slack] });
  expect(channelsOf(added)).toHaveLength(2);
  expect(channelsOf(putChannel("channels: []\n", slack))).toEqual([slack]);
});

it("changes a channel, keeping its address and its other settings unless another is given", () => {
  const { url: _, ...kept } = slack;
  const changed = putChannel(file, { ...kept, before: "team", name: "crew", severity: "collapsed" });
  expect(changed).toContain("# the team's room");
  expect(channelsOf(changed)).toEqual([
    { kind: "slack", name: "crew", url: "https://hooks.slack.com/planted", tags: ["paper"], severity: "collapsed" },
  ]);
  const mailed = putChannel(file, {
    before: "team",
    kind: "email",
    name: "team",
    to: ["a@example.org"],
    severity: "warning",
  });
  expect(channelsOf(mailed)).toEqual([
    { kind: "email", name: "team", tags: ["paper"], to: ["a@example.org"], severity: "warning" },
  ]);
});

it.each<[string, Partial<ChannelForm>, string]>([
  ["no address", { url: undefined }, "url:"],
  ["another protocol", { url: "file:///etc/passwd" }, "url: must be an address that begins with https:// or http://"],
  ["a taken name", { name: "team" }, "name: two channels are named “team”: rename one"],
  ["nobody to write to", { kind: "email", url: undefined, to: ["ada"] }, "to: must be an e-mail address"],
  ["an unknown channel", { before: "gone" }, "before: alerts.yaml has no channel “gone”"],
])("refuses %s", (_, changed, message) => {
  expect(() => putChannel(file, { ...slack, ...changed })).toThrow(message);
});

it("refuses a file that is broken, and mail without a relay", () => {
  expect(() => putChannel("channels: [", slack)).toThrow("alerts.yaml");
  const mail: ChannelForm = { kind: "email", name: "n", to: ["a@example.org"], severity: "unstable" };
  expect(() => putChannel("", mail)).toThrow("kind: e-mail channels need smtp with host and from");
});

it("removes a channel", () => {
  expect(channelsOf(removeChannel(putChannel(file, slack), "team"))).toEqual([slack]);
  expect(() => removeChannel(file, "gone")).toThrow("no channel “gone”");
});
