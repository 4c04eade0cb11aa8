import { z } from "zod";
import { FileEntryName } from "../cost/budgetsFile.ts";

/** Kinds of alerts. `stability` is an alarm of the collapse detector, filtered by severity. */
export const noticeKinds = [
  "stability",
  "sweepOver",
  "runOver",
  "noProgress",
  "nodeSilent",
  "diskFull",
  "budgetSpent",
  "guessing",
  "missingMetric",
] as const;
export type NoticeKind = (typeof noticeKinds)[number];

/** Minimum severities of alarms that a channel can choose. A recovery counts as `collapsed`, as it ends a collapse. */
export const minSeverities = ["warning", "unstable", "collapsed"] as const;

const Clock = z.string().regex(/^([01]\d|2[0-3]):[0-5]\d$/, 'must be a time such as "22:00"');

const Quiet = z
  .strictObject({
    from: Clock,
    to: Clock,
    /** Name in the IANA time zone database, such as Europe/Berlin. */
    timeZone: z.string().refine(isTimeZone, "is not a known time zone such as Europe/Berlin"),
  })
  .refine(({ from, to }) => from !== to, {
    path: ["to"],
    error: "equals from, so quiet hours would never end: set another time",
  });
export type Quiet = z.infer<typeof Quiet>;

const common = {
  name: FileEntryName,
  tells: z
    .array(z.enum(noticeKinds))
    .min(1)
    // `runOver` gives one message per run, which is meant for programs, so it must be requested.
    .default(noticeKinds.filter((kind) => kind !== "runOver")),
  /** Minimum severity of alerts of kind `stability`. */
  severity: z.enum(minSeverities).default("unstable"),
  /**
   * Limits the channel to these sweeps and to sweeps with one of the tags; if both lists are empty, it includes all
   * sweeps. Alerts about nodes, disks and budgets are always included.
   */
  sweeps: z.array(z.string().min(1)).max(1000).default([]),
  tags: z.array(z.string().min(1)).max(100).default([]),
  /** Minutes over which alerts are combined into one message. */
  digestMinutes: z.number().min(0).max(1440).default(0),
  /** Quiet hours, during which messages are held back. */
  quiet: Quiet.optional(),
};

const url = z.url({ protocol: /^https?$/, error: "must be an address that begins with https:// or http://" });
const address = z.email("must be an e-mail address");

export const Channel = z.discriminatedUnion("kind", [
  z.strictObject({
    kind: z.literal("webhook"),
    ...common,
    url,
    /** Key that signs the message body; header `x-arlarena-signature: sha256=` has its HMAC in hexadecimal. */
    secret: z.string().min(16, "must have at least 16 characters").optional(),
  }),
  z.strictObject({ kind: z.enum(["slack", "discord", "mattermost"]), ...common, url }),
  z.strictObject({ kind: z.literal("email"), ...common, to: z.array(address).min(1).max(50) }),
]);
export type Channel = z.infer<typeof Channel>;

const Smtp = z.strictObject({
  host: z.string().min(1),
  port: z.int().min(1).max(65_535).default(587),
  /** Encryption of SMTP: `tls` from the first byte (port 465), required `starttls`, or `none`. */
  security: z.enum(["tls", "starttls", "none"]).default("starttls"),
  user: z.string().min(1).optional(),
  password: z.string().min(1).optional(),
  from: address,
});
export type Smtp = z.infer<typeof Smtp>;

/** Schema of `alerts.yaml` in the state folder: channels for alerts, and their addresses. */
export const AlertsFile = z
  .strictObject({
    /** URL of the studio, for links in messages. */
    address: url.optional(),
    smtp: Smtp.optional(),
    /** Private host names, addresses and networks (10.1.0.0/16) to which messages may be sent. */
    allowPrivate: z.array(z.string().min(1)).max(100).default([]),
    channels: z.array(Channel).max(100),
  })
  .superRefine(({ channels, smtp }, context) => {
    for (const [i, { name, kind }] of channels.entries()) {
      const problem = (message: string, field: string) =>
        context.addIssue({ code: "custom", path: ["channels", i, field], message });
      if (channels.findIndex((other) => other.name === name) < i)
        problem(`two channels are named “${name}”: rename one`, "name");
      if (kind === "email" && smtp === undefined) problem("e-mail channels need smtp with host and from", "kind");
    }
  });
export type AlertsFile = z.infer<typeof AlertsFile>;

function isTimeZone(name: string): boolean {
  try {
    return new Intl.DateTimeFormat("en", { timeZone: name }).resolvedOptions().timeZone !== "";
  } catch {
    return false;
  }
}

const minuteMs = 60_000;
/** Time in ms after an event at which its delivery is abandoned. */
export const givenUpAfterMs = 72 * 60 * minuteMs;
const firstPauseMs = 15_000;
const longestPauseMs = 30 * minuteMs;

/** Returns the time of the first delivery attempt: after the channel's digest interval and outside its quiet hours. */
export function firstTry({ digestMinutes, quiet }: Channel, atMs: number): number {
  return afterQuiet(quiet, atMs + digestMinutes * minuteMs);
}

/** Returns the time of the next delivery attempt after `attempts` failures; undefined if the delivery is abandoned. */
export function nextTry(
  { quiet }: Channel,
  failure: { attempts: number; nowMs: number; sinceMs: number; waitMs?: number },
) {
  const { attempts, nowMs, sinceMs, waitMs = 0 } = failure;
  if (nowMs - sinceMs > givenUpAfterMs) return undefined;
  const pauseMs = Math.min(longestPauseMs, firstPauseMs * 2 ** (attempts - 1));
  return afterQuiet(quiet, nowMs + Math.max(pauseMs, waitMs));
}

export function afterQuiet(quiet: Quiet | undefined, ms: number): number {
  if (quiet === undefined) return ms;
  let at = ms;
  // Clocks change by an hour twice a year, so the end is searched minute by minute, for at most 25 hours.
  for (let i = 0; i < 25 * 60 && isQuiet(quiet, at); i++) at = (Math.floor(at / minuteMs) + 1) * minuteMs;
  return at;
}

function isQuiet({ from, to, timeZone }: Quiet, ms: number): boolean {
  const now = clockAt(timeZone, ms);
  return from < to ? now >= from && now < to : now >= from || now < to;
}

/** Returns the local time of day, such as "07:05". */
function clockAt(timeZone: string, ms: number): string {
  const clock = { timeZone, hour: "2-digit", minute: "2-digit", hourCycle: "h23" } as const;
  return new Intl.DateTimeFormat("en-GB", clock).format(ms);
}
