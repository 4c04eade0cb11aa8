import { Client } from "pg";
import type { Database, Pooled } from "../storage/client.ts";
import { readColumn } from "../storage/readRows.ts";
import { z } from "zod";
import { readFullDisks } from "./nodes.ts";

/** Right to act as the only orchestrator: a database connection, so it ends with the process, however that ends. */
export type Leadership = {
  /** True while the connection that has the lock is open. */
  isHeld(): boolean;
  /** Resolves when a database notification that may need action arrives, or after `timeoutMs`. */
  news(timeoutMs: number): Promise<void>;
  wake: () => void;
  close(): Promise<void>;
};

const lockKey = 4_127_001;

/** Acquires the advisory lock that admits one orchestrator; undefined if another process has the lock. */
export async function takeLeadership(databaseUrl: string): Promise<Leadership | undefined> {
  const client = new Client({
    connectionString: databaseUrl,
    keepAlive: true,
    application_name: "arlarena-orchestrator",
  });
  let isOpen = true;
  let wake = () => {};
  const end = () => {
    isOpen = false;
    wake();
  };
  client.on("error", end).on("end", end);
  client.on("notification", ({ payload }) => {
    // Notifications about new points come from this process itself; one about a status may be a user's request.
    if (payload?.includes('"points"') !== true) wake();
  });
  await client.connect();
  const sql = "SELECT pg_try_advisory_lock($1)";
  const [isTaken] = await readColumn(client, z.boolean(), { sql, values: [lockKey] });
  if (isTaken !== true) {
    await client.end();
    return undefined;
  }
  await client.query("LISTEN arlarena");
  return {
    isHeld: () => isOpen,
    news: (timeoutMs) =>
      new Promise((resolve) => {
        const timer = setTimeout(resolve, timeoutMs);
        wake = () => {
          clearTimeout(timer);
          resolve();
        };
        if (!isOpen) wake();
      }),
    wake: () => wake(),
    close: async () => await client.end().catch(() => undefined),
  };
}

export async function saveHeartbeat({ pool }: Pooled, { slots }: { slots: number }): Promise<void> {
  await pool.query(
    `INSERT INTO orchestrator_heartbeat (id, at, pid, slots, slots_used)
     SELECT 1, now(), $1, $2, coalesce(sum(greatest(1, cardinality(devices))), 0) FROM (
       SELECT devices FROM attempt WHERE live UNION ALL SELECT devices FROM stored_evaluation WHERE state = 'running') AS leased
     ON CONFLICT (id) DO UPDATE SET at = now(), pid = $1, slots = $2, slots_used = excluded.slots_used`,
    [process.pid, slots],
  );
}

export type OrchestratorHealth =
  | { state: "never" }
  | { state: "alive" | "silent"; at: Date; slots: number; slotsUsed: number; fullDisks: string[] };

const silentAfterMs = 15_000;

/** Reads the orchestrator's state from the heartbeat row, which the orchestrator updates in every round. */
export async function readHealth(database: Database): Promise<OrchestratorHealth> {
  const [beat, full] = await Promise.all([database.prisma.orchestratorHeartbeat.findFirst(), readFullDisks(database)]);
  if (!beat) return { state: "never" };
  const isAlive = Date.now() - beat.at.getTime() < silentAfterMs;
  const { at, slots, slotsUsed } = beat;
  return { state: isAlive ? "alive" : "silent", at, slots, slotsUsed, fullDisks: full.map(({ node }) => node) };
}
