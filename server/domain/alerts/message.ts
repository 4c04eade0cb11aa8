import type { Channel } from "./alertsFile.ts";
import type { Notice } from "./notice.ts";

/** More notices than this are counted, not listed. */
const mostListed = 20;
/** Discord takes 2,000 characters, Mattermost 16,383, Slack 40,000. */
const mostCharacters = { discord: 1900, mattermost: 12_000, slack: 12_000 } as const;

/** What a set of notices is called in one line. */
export function subjectOf(notices: readonly Notice[]): string {
  const [first] = notices;
  if (first === undefined) return "nothing";
  return notices.length === 1 ? first.title : `${first.title}, and ${notices.length - 1} more`;
}

/** The body that a channel's service takes as JSON. @param base the studio's address, without which there are no links */
export function bodyOf(kind: Exclude<Channel["kind"], "email">, notices: readonly Notice[], base?: string): unknown {
  switch (kind) {
    case "webhook":
      return { version: 1, notices: notices.map((notice) => toWebhook(notice, base)) };
    case "slack":
      return { text: listed(notices, { kind, line: (notice) => slackLine(notice, base) }) };
    case "mattermost":
      return { text: listed(notices, { kind, line: (notice) => markdownLine(notice, base) }) };
    case "discord":
      // Without it a run's name with @everyone in it would ring in a whole server.
      return {
        content: listed(notices, { kind, line: (notice) => markdownLine(notice, base) }),
        allowed_mentions: { parse: [] },
      };
  }
}

/** A letter in plain text. */
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

type Listing = { kind: keyof typeof mostCharacters; line: (notice: Notice) => string };

/** One line a notice, as many as the service takes. */
function listed(notices: readonly Notice[], { kind, line }: Listing): string {
  const lines: string[] = [];
  let room = mostCharacters[kind];
  for (const notice of notices.slice(0, mostListed)) {
    const text = line(notice);
    if (text.length > room) break;
    room -= text.length + 1;
    lines.push(text);
  }
  const rest = notices.length - lines.length;
  return [...lines, ...(rest > 0 ? [`and ${rest} more`] : [])].join("\n");
}

/** Slack's own markup: the three characters that it reads as markup are written as it asks. */
function slackLine(notice: Notice, base: string | undefined): string {
  const escape = (text: string) => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
  const link = linkOf(notice, base);
  const title = escape(shorten(notice.title));
  return `${link === undefined ? `*${title}*` : `<${link}|${title}>`}: ${escape(shorten(notice.text))}`;
}

function markdownLine(notice: Notice, base: string | undefined): string {
  // A zero-width space takes its power from the @ of "@everyone" and "@channel", which a backslash leaves it.
  const escape = (text: string) =>
    text.replaceAll(/[\\`*_~|<>[\]()#]/g, (character) => `\\${character}`).replaceAll("@", "@\u200b");
  const link = linkOf(notice, base);
  const title = escape(shorten(notice.title));
  return `${link === undefined ? `**${title}**` : `[${title}](${link})`}: ${escape(shorten(notice.text))}`;
}

/** One line of at most 400 characters: one long text leaves room for others. */
function shorten(text: string): string {
  const line = text.replaceAll(/\s+/g, " ");
  return line.length > 400 ? `${line.slice(0, 399)}…` : line;
}
