import { pages } from "#server/domain/pages.ts";
import type { AlertsFile, Channel } from "./alertsFile.ts";
import type { Happening } from "./happenings.ts";
import type { Notice } from "./notice.ts";

/** Maximum number of alerts that a chat message lists; further alerts are only counted. */
const maxListed = 20;
/** Maximum message length in characters, below the services' limits: Discord 2,000, Mattermost 16,383, Slack 40,000. */
const maxCharacters = { discord: 1900, mattermost: 12_000, slack: 12_000 } as const;

/** Returns a one-line summary of some alerts, such as the subject of an e-mail. */
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
      return { text: listed(notices, { kind, line: (notice) => slackLine(notice, base) }) };
    case "mattermost":
      return { text: listed(notices, { kind, line: (notice) => markdownLine(notice, base) }) };
    case "discord":
      // Without `allowed_mentions`, @everyone in a run's name would notify all members of the Discord server.
      return {
        content: listed(notices, { kind, line: (notice) => markdownLine(notice, base) }),
        allowed_mentions: { parse: [] },
      };
  }
}

/** Returns the plain text of an e-mail with these alerts. */
export function letterOf(notices: readonly Notice[], base?: string): string {
  const lines = notices.slice(0, 200).map((notice) => {
    const link = linkOf(notice, base);
    return [`${notice.title}\n${notice.text}`, notice.at.toISOString(), ...(link === undefined ? [] : [link])].join(
      "\n",
    );
  });
  const rest = notices.length - lines.length;
  return [...lines, ...(rest > 0 ? [`and ${rest} more`] : [])].join("\n\n");
}

function toWebhook({ id, kind, severity, sweepId, title, text, at, path }: Notice, base: string | undefined) {
  const url = linkOf({ path }, base);
  return { id, kind, severity, sweepId, title, text, at: at.toISOString(), path, ...(url !== undefined && { url }) };
}

function linkOf({ path }: Pick<Notice, "path">, base: string | undefined): string | undefined {
  return base === undefined ? undefined : new URL(path, base).href;
}

type Listing = { kind: keyof typeof maxCharacters; line: (notice: Notice) => string };

/** Lists alerts, one line each, up to `maxListed` and the message length that the service allows. */
function listed(notices: readonly Notice[], { kind, line }: Listing): string {
  const lines: string[] = [];
  let room = maxCharacters[kind];
  for (const notice of notices.slice(0, maxListed)) {
    const text = line(notice);
    if (text.length > room) break;
    room -= text.length + 1;
    lines.push(text);
  }
  const rest = notices.length - lines.length;
  return [...lines, ...(rest > 0 ? [`and ${rest} more`] : [])].join("\n");
}

/** Formats an alert as one line in Slack's markup, with Slack's three special characters escaped. */
function slackLine(notice: Notice, base: string | undefined): string {
  const escape = (text: string) => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
  const link = linkOf(notice, base);
  const title = escape(shorten(notice.title));
  return `${link === undefined ? `*${title}*` : `<${link}|${title}>`}: ${escape(shorten(notice.text))}`;
}

function markdownLine(notice: Notice, base: string | undefined): string {
  // A zero-width space disables "@everyone" and "@channel"; a backslash does not.
  const escape = (text: string) =>
    text.replaceAll(/[\\`*_~|<>[\]()#]/g, (character) => `\\${character}`).replaceAll("@", "@\u200b");
  const link = linkOf(notice, base);
  const title = escape(shorten(notice.title));
  return `${link === undefined ? `**${title}**` : `[${title}](${link})`}: ${escape(shorten(notice.text))}`;
}

/** Shortens a text to one line of at most 400 characters, so that a message has room for several notices. */
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

/**
 * Makes the alert that the test button of a channel sends.
 * @param id makes each alert unique
 */
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
