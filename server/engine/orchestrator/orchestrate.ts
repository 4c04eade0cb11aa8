import { setTimeout as sleep } from "node:timers/promises";
import { readUncompacted } from "#server/db/fleet/attempts.ts";
import { tellOutside } from "#server/engine/alerts/tellOutside.ts";
import { type Database, makeDatabase } from "#server/db/storage/client.ts";
import { readMachines } from "#server/db/fleet/nodes.ts";
import { takeLeadership } from "#server/db/fleet/leadership.ts";
import { compactPoints, makeMetricIds } from "#server/db/runs/pointWrites.ts";
import { summariseRuns } from "#server/db/runs/runSummaries.ts";
import type { AlertsFile } from "#server/domain/fleet/alerts/alertsFile.ts";
import type { BudgetsFile } from "#server/domain/fleet/cost/budgetsFile.ts";
import type { Node } from "#server/domain/fleet/nodes/node.ts";
import { listSlots } from "#server/domain/fleet/nodes/slots.ts";
import { replayWaiting } from "#server/engine/ingest/replayRun.ts";
import { checkNodes, type Checks } from "./checkNodes.ts";
import { rescueFallen } from "./rescueFallen.ts";
import { tick } from "./tick.ts";
import { makeWatch, type ManagedNode } from "./watch.ts";

export type Settings = {
  databaseUrl: string;
  nodes: readonly ManagedNode[];
  /** Pause in ms between rounds; it grows up to fourfold if a round takes more than a ninth of it. */
  tickMs?: number;
  /** Grace period in ms after an outage of the orchestrator, during which no run is declared lost. */
  graceMs?: number;
  /** Time in ms without a new log line before which no run counts as silent; a minute by default. */
  minSilenceMs?: number;
  /** Time in ms for which a recorded job may have no process before it is submitted again. */
  resubmitAfterMs?: number;
  alerts?: () => AlertsFile | undefined;
  budgets?: () => BudgetsFile | undefined;
  checks?: Checks;
  /** Gives a node its current price, which can change while jobs run. */
  priced?: (node: Node) => Node;
  /** Node for evaluations of finished runs, needed if no configured node is this machine. It receives no runs. */
  evaluator?: ManagedNode;
  log: (text: string) => void;
};

const otherLeadsMs = 1000;
/** Interval in ms between searches for runs to replay, and the maximum number of runs in one step. */
const replayEveryMs = 10_000;
const judgedAtOnce = 50;
/** Number of runs summarised in one step. The next constant is the minimum time in ms between two steps. */
const summarisedAtOnce = 50;
const summariseEveryMs = 2000;
const maxBackOffMs = 5000;

/** Runs rounds until `stop` as the only leader: waits for the lock, and begins again after a loss of the database. */
export async function orchestrate(settings: Settings, stop: AbortSignal): Promise<void> {
  const database = makeDatabase(settings.databaseUrl);
  let backOffMs = 250;
  while (!stop.aborted) {
    try {
      const hasLed = await lead(settings, { database, stop, wentWell: () => (backOffMs = 250) });
      if (!hasLed) await pause(otherLeadsMs, stop);
    } catch (error) {
      settings.log(
        `stopped acting, again in ${backOffMs} ms: ${error instanceof Error ? error.message : String(error)}`,
      );
      await pause(backOffMs, stop);
      backOffMs = Math.min(backOffMs * 2, maxBackOffMs);
    }
  }
  await database.close();
}

type Term = { database: Database; stop: AbortSignal; wentWell: () => void };

async function lead(settings: Settings, { database, stop, wentWell }: Term): Promise<boolean> {
  const { databaseUrl, nodes, log, tickMs = 500 } = settings;
  const leadership = await takeLeadership(databaseUrl);
  if (leadership === undefined) return false;
  stop.addEventListener("abort", leadership.wake);
  const endOfTerm = new AbortController();
  const over = AbortSignal.any([stop, endOfTerm.signal]);
  const { alerts, budgets, checks } = settings;
  const telling = alerts && tellOutside(database.pool, { read: alerts, readBudgets: budgets, log }, over);
  const checking = checks && checkNodes({ ...checks, database, nodes }, over);
  log(`acting with ${nodes.reduce((sum, { node }) => sum + listSlots(node.slots).length, 0)} slots`);
  try {
    for (const attemptId of await readUncompacted(database)) {
      await compactPoints(database.pool, attemptId, { isOver: true });
    }
    const storage = { pool: database.pool, metricIds: makeMetricIds(database.pool) };
    // `observingSinceMs` begins with this term, so that no run is declared lost before the grace period has passed.
    const machines = await readMachines(database);
    const watches = nodes.map((managed) => makeWatch(managed, machines.get(managed.node.name)));
    const orchestration = {
      ...settings,
      storage,
      watches,
      evaluator: settings.evaluator && makeWatch(settings.evaluator),
      lastNotes: new Map(),
      busy: new Set<string>(),
      growth: new Map(),
      observingSinceMs: Date.now(),
    };
    let replayAtMs = 0;
    let summariseAtMs = 0;
    while (leadership.isHeld() && !stop.aborted) {
      const startMs = Date.now();
      await tick(orchestration);
      const tookMs = Date.now() - startMs;
      // While runs wait for their labels, the pause between rounds is spent on them.
      const pausing = { isOver: false };
      const paused = leadership.news(Math.min(Math.max(tickMs, 9 * tookMs), 4 * tickMs));
      void paused.then(() => (pausing.isOver = true));
      do {
        if (Date.now() >= replayAtMs) replayAtMs = await judge(database, checks?.templates);
        if (Date.now() >= summariseAtMs) summariseAtMs = await summarise(database);
      } while (replayAtMs === 0 && !pausing.isOver);
      wentWell();
      await paused;
    }
    return true;
  } finally {
    stop.removeEventListener("abort", leadership.wake);
    for (const { launcher } of nodes) launcher.letGo?.();
    endOfTerm.abort();
    await telling;
    await checking;
    await leadership.close();
  }
}

/** Replays some runs through the detector, or then creates rescue experiments. Returns the time of the next call. */
async function judge(database: Database, templates?: Checks["templates"]): Promise<number> {
  if (await replayWaiting(database.pool, judgedAtOnce)) return 0;
  await rescueFallen(database, templates);
  return Date.now() + replayEveryMs;
}

/**
 * Computes some run summaries for the table of runs; returns the time of the next call. Finished runs get half of
 * this process's time. Summaries of live runs become outdated at each log line, so they get a fiftieth.
 */
async function summarise({ pool }: Database): Promise<number> {
  const startMs = Date.now();
  const waiting = await summariseRuns(pool, summarisedAtOnce);
  const tookMs = Date.now() - startMs;
  return Date.now() + (waiting === "over" ? tookMs : Math.max(summariseEveryMs, 49 * tookMs));
}

async function pause(ms: number, stop: AbortSignal): Promise<void> {
  await sleep(ms, undefined, { signal: stop }).catch(() => undefined);
}
