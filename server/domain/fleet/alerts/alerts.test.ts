import { describe, expect, it, test } from "vitest";
import { afterQuiet, AlertsFile, Channel, firstTry, givenUpAfterMs, nextTry } from "./alertsFile.ts";
import { bodyOf, letterOf, subjectOf } from "./message.ts";
import { type Notice, wants } from "./notice.ts";

const url = "https://hooks.example.org/T/B/x";
const slack = Channel.parse({ kind: "slack", name: "team", url });
const notice: Notice = {
  id: 7,
  kind: "stability",
  severity: "unstable",
  sweepId: "s1",
  tags: ["night"],
  title: "GRPO <b>, seed 3, is unstable",
  text: "KL & gradients\nclimb @everyone",
  path: "/runs/r1",
  at: new Date("2026-11-23T04:05:06Z"),
};

describe("alerts.yaml", () => {
  it.each([
    [{ channels: [{ kind: "slack", name: "a", url: "ftp://x.org" }] }, "channels.0.url", /begins with https/],
    [{ channels: [{ kind: "email", name: "a", to: ["x@y.org"] }] }, "channels.0.kind", /e-mail channels need smtp/],
    [{ channels: [slack, slack] }, "channels.1.name", /two channels are named “team”/],
    [{ channels: [{ ...slack, severity: "info" }] }, "channels.0.severity", /"warning"\|"unstable"\|"collapsed"/],
    [
      { channels: [{ ...slack, quiet: { from: "22:00", to: "7:00", timeZone: "UTC" } }] },
      "channels.0.quiet.to",
      /22:00/,
    ],
    [
      { channels: [{ ...slack, quiet: { from: "22:00", to: "07:00", timeZone: "Mars" } }] },
      "channels.0.quiet.timeZone",
      /not a known time zone/,
    ],
    [{ channels: [], smtps: {} }, "", /smtps/],
  ])("%j is refused at %s", (file, path, message) => {
    const [issue] = AlertsFile.safeParse(file).error?.issues ?? [];
    expect(issue?.path.join(".")).toBe(path);
    expect(issue?.message).toMatch(message);
  });
});

describe("a channel", () => {
  const of = (rest: object) => Channel.parse({ ...slack, ...rest });

  it.each([
    ["is told of what it asks for", {}, {}, true],
    ["is not told of other kinds", { tells: ["sweepOver"] }, {}, false],
    ["is not told of lesser severities", { severity: "collapsed" }, {}, false],
    ["is not told of warnings unless it asks", {}, { severity: "warning" }, false],
    ["is told of warnings that it asks for", { severity: "warning" }, { severity: "warning" }, true],
    ["is told of a recovery from a collapse", {}, { severity: "recovered" }, true],
    ["is told of it even if it asks for collapses only", { severity: "collapsed" }, { severity: "recovered" }, true],
    ["is not told of a recovery by another kind", { tells: ["sweepOver"] }, { severity: "recovered" }, false],
    ["is told of its sweeps", { sweeps: ["s1"] }, {}, true],
    ["is not told of others", { sweeps: ["s2"] }, {}, false],
    ["is told of sweeps with its tag", { sweeps: ["s2"], tags: ["night"] }, {}, true],
    ["is told of nodes whatever its sweeps", { sweeps: ["s2"] }, { kind: "nodeSilent", sweepId: null }, true],
    [
      "is told of a sweep's end whatever its severity",
      { severity: "collapsed" },
      { kind: "sweepOver", severity: "info" },
      true,
    ],
    ["is told of a test whatever it asks for", { tells: ["diskFull"] }, { kind: "test", sweepId: null }, true],
  ] as const)("%s", (_, channel, rest, isTold) => {
    expect(wants(of(channel), { ...notice, ...rest })).toBe(isTold);
  });
});

describe("when", () => {
  const berlin = { from: "22:00", to: "07:00", timeZone: "Europe/Berlin" };
  const at = (text: string) => Date.parse(text);

  test.each([
    ["before the quiet hours", "2026-11-23T20:59:59Z", "2026-11-23T20:59:59Z"],
    ["at their beginning", "2026-11-23T21:00:00Z", "2026-11-24T06:00:00Z"],
    ["after midnight", "2026-11-24T05:59:30Z", "2026-11-24T06:00:00Z"],
    ["in the night in which the clock goes back", "2026-10-24T21:30:00Z", "2026-10-25T06:00:00Z"],
    ["in the night in which it goes forward", "2026-03-28T22:00:00Z", "2026-03-29T05:00:00Z"],
  ])("%s", (_, from, to) => {
    expect(new Date(afterQuiet(berlin, at(from))).toISOString()).toBe(new Date(to).toISOString());
  });

  it("waits for the digest first, and for the quiet hours then", () => {
    const channel = { ...slack, digestMinutes: 10, quiet: berlin };
    expect(firstTry(channel, at("2026-11-23T12:00:00Z"))).toBe(at("2026-11-23T12:10:00Z"));
    expect(firstTry(channel, at("2026-11-23T20:55:00Z"))).toBe(at("2026-11-24T06:00:00Z"));
  });

  it("pauses twice as long after each failure up to half an hour, as long as the receiver asks, and gives up after three days", () => {
    const after = (attempts: number, rest = {}) => nextTry(slack, { attempts, nowMs: 1000, sinceMs: 0, ...rest });
    expect([1, 2, 3, 7, 8, 30].map((n) => after(n))).toEqual([16_000, 31_000, 61_000, 961_000, 1_801_000, 1_801_000]);
    expect(after(1, { waitMs: 90_000 })).toBe(91_000);
    expect(after(9, { nowMs: givenUpAfterMs + 1 })).toBeUndefined();
  });
});

describe("a message", () => {
  const base = "https://studio.example.org/";

  it("is what each service reads, with nothing in it that the service would obey", () => {
    expect(bodyOf("slack", [notice], base)).toEqual({
      text: "<https://studio.example.org/runs/r1|GRPO &lt;b&gt;, seed 3, is unstable>: KL &amp; gradients climb @everyone",
    });
    expect(bodyOf("mattermost", [notice], base)).toEqual({
      text: "[GRPO \\<b\\>, seed 3, is unstable](https://studio.example.org/runs/r1): KL & gradients climb @\u200beveryone",
    });
    expect(bodyOf("discord", [notice])).toEqual({
      content: "**GRPO \\<b\\>, seed 3, is unstable**: KL & gradients climb @\u200beveryone",
      allowed_mentions: { parse: [] },
    });
    expect(bodyOf("webhook", [notice], base)).toEqual({
      version: 1,
      notices: [
        {
          id: 7,
          kind: "stability",
          severity: "unstable",
          sweepId: "s1",
          title: "GRPO <b>, seed 3, is unstable",
          text: "KL & gradients\nclimb @everyone",
          at: "2026-11-23T04:05:06.000Z",
          path: "/runs/r1",
          url: "https://studio.example.org/runs/r1",
        },
      ],
    });
  });

  it("lists what the service has room for and counts the rest", () => {
    const many = Array.from({ length: 50 }, (_, i) => ({ ...notice, id: i, text: "x".repeat(1000) }));
    const { content = "" } = bodyOf("discord", many) as { content?: string };
    expect(content.length).toBeLessThan(2000);
    expect(content).toMatch(/\nand 46 more$/);
    expect((bodyOf("slack", many) as { text: string }).text).toMatch(/\nand 30 more$/);
    expect((bodyOf("webhook", many) as { notices: unknown[] }).notices).toHaveLength(50);
    expect(letterOf(many, base).match(/^GRPO/gm)).toHaveLength(50);
  });

  it("says in one line what it is about", () => {
    expect(subjectOf([notice])).toBe(notice.title);
    expect(subjectOf([notice, notice, notice])).toBe(`${notice.title}, and 2 more`);
  });
});
