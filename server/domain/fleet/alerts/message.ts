import { pages } from "#server/domain/pages.ts";
import type { AlertsFile, Channel } from "./alertsFile.ts";
import type { Happening } from "./happenings.ts";
import type { Notice } from "./notice.ts";

/** Maximum number of alerts that a chat message lists; further alerts are only counted. */
const maxListed = 20;
/** Maximum message length in characters, below the services' limits: Discord 2,000, Mattermost 16,383, Slack 40,000. */
const maxCharacters = { discord: 1900, mattermost: 12_000, slack: 12_000 } as const;

export function subjectOf(notices: readonly Notice[]): string {
  const [first] = notices;
  if (first === undefined) return "nothing";
  return notices.length === 1 ? first.title : `${first.title}, and ${notices.length - 1} more`;
}

/**
 * Returns the JSON body of a message with these alerts, in the format of the channel's service.
 * @param base URL of the studio; if it is absent, the message has no links
 */
export function bodyOf(kind: Exclude<Channel["kind"], "email">, notices: readonly Notice[], base?: string): unknown {
  switch (kind) {
    case "webhook":
      return { version: 1, notices: notices.map((notice) => toWebhook(notice, base)) };
    case "slack":
    case "mattermost":
      return { text: listed(notices, kind, base) };
    case "discord":
      // Without `allowed_mentions`, @everyone in a run's name would notify all members of the Discord server.
      return { content: listed(notices, kind, base), allowed_mentions: { parse: [] } };
  }
}

export function letterOf(notices: readonly Notice[], base?: string): string {
  const letters = notices.slice(0, 200).map((notice) => {
    const lines = [notice.title, notice.text, notice.at.toISOString(), linkOf(notice, base)];
    return lines.filter((line) => line !== undefined).join("\n");
  });
  return [...letters, ...restOf(notices, letters.length)].join("\n\n");
}

function restOf(notices: readonly Notice[], numListed: number): string[] {
  const rest = notices.length - numListed;
  return rest > 0 ? [`and ${rest} more`] : [];
}

function toWebhook({ id, kind, severity, sweepId, title, text, at, path }: Notice, base: string | undefined) {
  const url = linkOf({ path }, base);
  return { id, kind, severity, sweepId, title, text, at: at.toISOString(), path, ...(url !== undefined && { url }) };
}

function linkOf({ path }: Pick<Notice, "path">, base: string | undefined): string | undefined {
  return base === undefined ? undefined : new URL(path, base).href;
}

/** Lists alerts, one line each, up to `maxListed` and the message length that the service allows. */
function listed(notices: readonly Notice[], kind: keyof typeof maxCharacters, base: string | undefined): string {
  const { escape, bold, linked } = kind === "slack" ? slackMarkup : markdown;
  const lines: string[] = [];
  let room = maxCharacters[kind];
  for (const notice of notices.slice(0, maxListed)) {
    const link = linkOf(notice, base);
    const title = escape(shorten(notice.title));
    const line = `${link === undefined ? bold(title) : linked(title, link)}: ${escape(shorten(notice.text))}`;
    if (line.length > room) break;
    room -= line.length + 1;
    lines.push(line);
  }
  return [...lines, ...restOf(notices, lines.length)].join("\n");
}

const slackMarkup = {
  escape: (text: string) => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;"),
  bold: (text: string) => `*${text}*`,
  linked: (text: string, link: string) => `<${link}|${text}>`,
};
const markdown = {
  // A zero-width space disables "@everyone" and "@channel"; a backslash does not.
  escape: (text: string) =>
    text.replaceAll(/[\\`*_~|<>[\]()#]/g, (character) => `\\${character}`).replaceAll("@", "@\u200b"),
  bold: (text: string) => `**${text}**`,
  linked: (text: string, link: string) => `[${text}](${link})`,
};

/** Returns a text as one line of at most 400 characters, so that a message has room for several notices. */
function shorten(text: string): string {
  const line = text.replaceAll(/\s+/g, " ");
  return line.length > 400 ? `${line.slice(0, 399)}…` : line;
}

/** Description of an alert channel for users. The full URL of a webhook is a secret, so only its host is shown. */
export type ChannelSummary = Pick<
  Channel,
  "name" | "kind" | "tells" | "severity" | "sweeps" | "tags" | "digestMinutes" | "quiet"
> & {
  to: string;
};

export function summarise({ channels }: AlertsFile): ChannelSummary[] {
  return channels.map(({ name, kind, tells, severity, sweeps, tags, digestMinutes, quiet, ...target }) => {
    const to = "to" in target ? target.to.join(", ") : new URL(target.url).host;
    return { name, kind, tells, severity, sweeps, tags, digestMinutes, to, ...(quiet && { quiet }) };
  });
}

/** Makes the alert that the test button of a channel sends; `id` makes each alert unique. */
export function testNotice(channel: string, id: string): Happening {
  return {
    key: `test:${id}`,
    kind: "test",
    severity: "info",
    sweepId: null,
    tags: [],
    title: "Test message of ARLArena Studio",
    text: `Channel “${channel}” works: alerts for it will arrive here`,
    path: pages.alerts,
  };
}
