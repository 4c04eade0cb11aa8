import type { Database } from "./client.ts";

export type OrchestratorHealth =
  { state: "never" } | { state: "alive" | "silent"; at: Date; slots: number; slotsUsed: number };

const silentAfterMs = 15_000;

/** Whether somebody is there to act on what is asked, by the row that the orchestrator's tick renews. */
export async function readHealth({ prisma }: Database): Promise<OrchestratorHealth> {
  const beat = await prisma.orchestratorHeartbeat.findFirst();
  if (!beat) return { state: "never" };
  const isAlive = Date.now() - beat.at.getTime() < silentAfterMs;
  return { state: isAlive ? "alive" : "silent", at: beat.at, slots: beat.slots, slotsUsed: beat.slotsUsed };
}
