import type { Pool } from "#server/db/storage/client.ts";
import {
  closeSubjects,
  readOpenSubjects,
  readOverRuns,
  readOverSweeps,
  readRecentEvents,
  readSilentNodes,
  saveNotice,
} from "#server/db/fleet/alerts.ts";
import { readGuesses } from "#server/db/people/auditEntries.ts";
import { inTransaction } from "#server/db/storage/inTransaction.ts";
import { readFullDisks } from "#server/db/fleet/nodes.ts";
import type { Channel } from "#server/domain/fleet/alerts/alertsFile.ts";
import {
  fromBudget,
  fromEnd,
  fromEvent,
  fromFullDisk,
  fromGuesses,
  fromRun,
  fromSilence,
  fromSweep,
  type Happening,
} from "#server/domain/fleet/alerts/happenings.ts";
import { wants } from "#server/domain/fleet/alerts/notice.ts";
import { firstTry } from "#server/domain/fleet/alerts/when.ts";
import type { BudgetLine } from "#server/domain/fleet/cost/budgetLine.ts";
import { detectorVersion } from "#packages/detector";

const silentMinutes = 5;

/** Conditions that last, as the caller observed them. */
type Observed = {
  /** Time since which nodes have been observed. */
  observingSince: Date;
  /** Budget limits that are reached; undefined if unknown, so that none ends. */
  spent: readonly BudgetLine[] | undefined;
};

/**
 * Records events since the last call, with the channels that they are sent to. Only the orchestrator calls this.
 */
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
      ...(await readRecentEvents(client, detectorVersion)).map(fromEvent),
      ...(await readOverRuns(client)).map(fromRun),
      ...(await readOverSweeps(client, detectorVersion)).map(fromSweep),
      ...(await readGuesses(client)).map(fromGuesses),
      ...lasting.filter((one) => one.isSure && !open.some(({ subject }) => subject === one.subject)),
      ...ended.map((one) => fromEnd(one, nowMs)),
    ];
    for (const happening of happened) {
      const told = channels.filter((channel) => wants(channel, { ...happening, at: new Date(nowMs) }));
      const routes = told.map((channel) => ({ channel: channel.name, firstMs: firstTry(channel, nowMs) }));
      await saveNotice(client, happening, routes);
    }
  });
}
