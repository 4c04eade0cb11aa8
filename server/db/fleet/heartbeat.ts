import type { Database } from "../storage/client.ts";
import { readFullDisks } from "./nodes.ts";

export type OrchestratorHealth =
  { state: "never" } | { state: "alive" | "silent"; at: Date; slots: number; slotsUsed: number; fullDisks: string[] };

const silentAfterMs = 15_000;

/** State of the orchestrator, from the row that its tick renews. */
export async function readHealth(database: Database): Promise<OrchestratorHealth> {
  const [beat, full] = await Promise.all([database.prisma.orchestratorHeartbeat.findFirst(), readFullDisks(database)]);
  if (!beat) return { state: "never" };
  const isAlive = Date.now() - beat.at.getTime() < silentAfterMs;
  const { at, slots, slotsUsed } = beat;
  return { state: isAlive ? "alive" : "silent", at, slots, slotsUsed, fullDisks: full.map(({ node }) => node) };
}
