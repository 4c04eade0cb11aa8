import { setTimeout as sleep } from "node:timers/promises";
import { createTransport } from "nodemailer";
import { detectorVersion } from "#packages/detector";
import { readFullDisks } from "#server/db/fleet/nodes.ts";
import { readGuesses } from "#server/db/people/changes.ts";
import { readDiagnoses } from "#server/db/runs/diagnoses.ts";
import { readPrecedents } from "#server/db/analysis/rescue.ts";
import type { Client, Pool } from "#server/db/storage/client.ts";
import {
  closeSubjects,
  type Delivery,
  forgetNotices,
  markFailed,
  markSent,
  readDue,
  readOpenSubjects,
  readOverRuns,
  readOverSweeps,
  readRecentEvents,
  readSilentNodes,
  readSilentRuns,
  saveNotices,
} from "#server/db/fleet/alerts.ts";
import { readMissingMetrics } from "#server/db/runs/missingMetrics.ts";
import { inTransaction } from "#server/db/storage/inTransaction.ts";
import { type AlertsFile, type Channel, firstTry, nextTry, type Smtp } from "#server/domain/fleet/alerts/alertsFile.ts";
import {
  fromBudget,
  fromEnd,
  fromEvent,
  fromFullDisk,
  fromGuesses,
  fromMissingMetric,
  fromRun,
  fromSilence,
  fromSilentRun,
  fromSweep,
  type Happening,
} from "#server/domain/fleet/alerts/happenings.ts";
import { citePrecedents } from "#server/domain/analysis/rescue/precedents.ts";
import { wants } from "#server/domain/fleet/alerts/notice.ts";
import type { BudgetsFile } from "#server/domain/fleet/cost/budgetsFile.ts";
import { bodyOf, letterOf, subjectOf } from "#server/domain/fleet/alerts/message.ts";
import { groupBy } from "#packages/base";
import { NotDelivered, post } from "./post.ts";
import { readBudgetLines } from "#server/db/fleet/costs.ts";
import { type BudgetLine, isSpent } from "#server/domain/fleet/cost/budgetLine.ts";
import { resolveAllowed } from "./resolveAllowed.ts";

type Telling = {
  read: () => AlertsFile | undefined;
  readBudgets?: (() => BudgetsFile | undefined) | undefined;
  log: (text: string) => void;
  everyMs?: number;
};

const nobody: AlertsFile = { allowPrivate: [], channels: [] };
const forgetEveryMs = 3_600_000;

/**
 * Records events and sends alerts until `stop`, apart from the tick, so that a hanging mail server delays no run.
 * Events are recorded even without channels, so that a later channel does not receive old events.
 */
export async function tellOutside(
  pool: Pool,
  { read, readBudgets = () => undefined, log, everyMs = 3000 }: Telling,
  stop: AbortSignal,
): Promise<void> {
  const observingSince = new Date();
  const findSpent = watchBudgets(pool, { read: readBudgets, log });
  let lastProblem = "";
  let forgetAtMs = 0;
  while (!stop.aborted) {
    try {
      const alerts = read() ?? nobody;
      await collect(pool, alerts.channels, { observingSince, spent: await findSpent() });
      await deliver(pool, alerts);
      if (Date.now() >= forgetAtMs) {
        await forgetNotices(pool);
        forgetAtMs = Date.now() + forgetEveryMs;
      }
      lastProblem = "";
    } catch (error) {
      const problem = error instanceof Error ? error.message : String(error);
      // A problem that persists is logged once, not every three seconds.
      if (problem !== lastProblem) log(`alerts: ${problem}`);
      lastProblem = problem;
    }
    await sleep(everyMs, undefined, { signal: stop }).catch(() => undefined);
  }
}

/** Sends due alerts, one message per channel, in parallel; failures are retried. Delivery is at least once. */
export async function deliver(pool: Pool, alerts: AlertsFile): Promise<void> {
  const due = groupBy(await readDue(pool), ({ channel }) => channel);
  await Promise.all(
    [...due].map(async ([name, deliveries]) => {
      const channel = alerts.channels.find((one) => one.name === name);
      const ids = deliveries.map(({ deliveryId }) => deliveryId);
      if (channel === undefined) {
        await markFailed(pool, ids, { problem: "alerts.yaml has no such channel any more", nextMs: undefined });
        return;
      }
      try {
        await sendTo(channel, deliveries, alerts);
        await markSent(pool, ids);
      } catch (error) {
        await postpone(pool, { channel, deliveries, error });
      }
    }),
  );
}

async function sendTo(channel: Channel, deliveries: readonly Delivery[], alerts: AlertsFile): Promise<void> {
  const notices = deliveries.map((delivery) => ({ ...delivery, tags: [] }));
  const { address, allowPrivate, smtp } = alerts;
  if (channel.kind !== "email") {
    const secret = channel.kind === "webhook" ? channel.secret : undefined;
    await post({ url: channel.url, body: bodyOf(channel.kind, notices, address), secret, allowPrivate });
    return;
  }
  if (smtp === undefined) throw new NotDelivered("alerts.yaml has no smtp");
  const [first] = deliveries;
  const domain = smtp.from.split("@")[1] ?? "arlarena";
  const letter = {
    to: channel.to,
    subject: `[ARLArena] ${subjectOf(notices)}`,
    text: letterOf(notices, address),
    // Mail programs show two messages with the same id as one.
    messageId: `<arlarena-${first?.deliveryId ?? 0}-${deliveries.length}@${domain}>`,
  };
  await sendMail(smtp, letter, allowPrivate);
}

type Failure = { channel: Channel; deliveries: readonly Delivery[]; error: unknown };

async function postpone(pool: Pool, { channel, deliveries, error }: Failure): Promise<void> {
  const nowMs = Date.now();
  const problem = error instanceof Error ? error.message : String(error);
  const waitMs = error instanceof NotDelivered ? error.waitMs : 0;
  for (const { deliveryId, attempts, at } of deliveries) {
    const nextMs = nextTry(channel, { attempts: attempts + 1, nowMs, sinceMs: at.getTime(), waitMs });
    await markFailed(pool, [deliveryId], { problem, nextMs });
  }
}

/** Interval between computations of the total cost over all attempts, the slowest check. */
const everyMs = 30_000;

type Watching = { read: () => BudgetsFile | undefined; log: (text: string) => void };

/** Makes a function that finds exceeded budget limits. After a failure, the last limits are kept. */
function watchBudgets(pool: Pool, { read, log }: Watching): () => Promise<readonly BudgetLine[] | undefined> {
  let spent: readonly BudgetLine[] | undefined;
  let nextMs = 0;
  let lastFile = "";
  let lastProblem = "";
  return async () => {
    try {
      const budgets = read()?.budgets ?? [];
      const file = JSON.stringify(budgets);
      if (file === lastFile && Date.now() < nextMs) return spent;
      spent = budgets.length === 0 ? [] : (await readBudgetLines(pool, budgets)).filter(isSpent);
      nextMs = Date.now() + everyMs;
      lastFile = file;
      lastProblem = "";
    } catch (error) {
      const problem = error instanceof Error ? error.message : String(error);
      if (problem !== lastProblem) log(`budgets: ${problem}`);
      lastProblem = problem;
    }
    return spent;
  };
}

type Letter = { to: readonly string[]; subject: string; text: string; messageId: string };

async function sendMail(smtp: Smtp, letter: Letter, allowPrivate: readonly string[]): Promise<void> {
  const { address } = await resolveAllowed(smtp.host, allowPrivate);
  const { user, password: pass = "" } = smtp;
  const transport = createTransport({
    host: address,
    port: smtp.port,
    secure: smtp.security === "tls",
    requireTLS: smtp.security === "starttls",
    ignoreTLS: smtp.security === "none",
    // The certificate is checked against the host name, not the address.
    tls: { servername: smtp.host },
    ...(user !== undefined && { auth: { user, pass } }),
    connectionTimeout: 10_000,
    greetingTimeout: 10_000,
    socketTimeout: 20_000,
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  try {
    await transport.sendMail({ from: smtp.from, ...letter, to: [...letter.to] });
  } catch (error) {
    throw new NotDelivered(`${smtp.host}: ${error instanceof Error ? error.message : String(error)}`);
  } finally {
    transport.close();
  }
}

const silentMinutes = 5;

type Observed = {
  observingSince: Date;
  /** Budget limits that are exceeded; undefined if unknown, so that no budget alert ends. */
  spent: readonly BudgetLine[] | undefined;
};

/** Records events since the last call, and deliveries to their channels. Only the orchestrator calls this. */
export async function collect(
  pool: Pool,
  channels: readonly Channel[],
  { observingSince, spent }: Observed,
): Promise<void> {
  await inTransaction(pool, async (client) => {
    const nowMs = Date.now();
    const silent = await readSilentNodes(client, { minutes: silentMinutes, observingSince });
    const lasting = [
      ...silent.map((node) => ({ ...fromSilence(node, nowMs), isSure: node.isWitnessed })),
      ...(await readFullDisks({ pool })).map((disk) => ({ ...fromFullDisk(disk, nowMs), isSure: true })),
      ...(await readSilentRuns(client)).map((run) => ({ ...fromSilentRun(run, nowMs), isSure: true })),
      ...(spent ?? []).map((line) => ({ ...fromBudget(line, nowMs), isSure: true })),
    ];
    const open = await readOpenSubjects(client);
    const ended = open.filter(
      ({ subject, kind }) =>
        !(kind === "budgetSpent" && spent === undefined) && !lasting.some((one) => one.subject === subject),
    );
    await closeSubjects(
      client,
      ended.map(({ subject }) => subject),
    );
    const happened: Happening[] = [
      ...(await readEvents(client, pool)),
      ...(await readOverRuns(client)).map(fromRun),
      ...(await readOverSweeps(client, detectorVersion)).map(fromSweep),
      ...(await readGuesses(client)).map(fromGuesses),
      ...(await readMissingMetrics(client, { within: "1 day" })).map(fromMissingMetric),
      ...lasting.filter((one) => one.isSure && !open.some(({ subject }) => subject === one.subject)),
      ...ended.map((one) => fromEnd(one, nowMs)),
    ];
    const routesOf = (happening: Happening) => {
      const told = channels.filter((channel) => wants(channel, { ...happening, at: new Date(nowMs) }));
      return told.map((channel) => ({ channel: channel.name, firstMs: firstTry(channel, nowMs) }));
    };
    await saveNotices(
      client,
      happened.map((happening) => ({ ...happening, routes: routesOf(happening) })),
    );
  });
}

/**
 * Reads new alarms and recoveries. An alarm names its cause, if the rules find one, and the change that best prevented
 * collapses in similar branches.
 */
async function readEvents(client: Client, pool: Pool): Promise<Happening[]> {
  const events = await readRecentEvents(client, detectorVersion);
  const alarms = events.filter(({ severity }) => severity === "unstable" || severity === "collapsed");
  const diagnoses = await readDiagnoses(pool, [...new Set(alarms.map(({ runId }) => runId))]);
  const found: Happening[] = [];
  for (const event of events) {
    const isAlarm = alarms.includes(event);
    const diagnosis = isAlarm ? diagnoses.get(event.runId) : undefined;
    const cause = diagnosis && diagnosis.findings.length > 0 ? `Cause: ${diagnosis.sentence}` : "";
    const precedents = isAlarm ? citePrecedents(await readPrecedents(client, event.runId)) : "";
    found.push(fromEvent(event, [cause, precedents].filter(Boolean).join(". ")));
  }
  return found;
}
