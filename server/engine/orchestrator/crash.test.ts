// @module-tag soak
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, expect, it } from "vitest";
import type { Database } from "#server/db/storage/client.ts";
import { insertSweep } from "#server/db/testing/insertRun.ts";
import { HeadlessStudio } from "./testing/headlessStudio.ts";

const iterations = 600;
const numKeys = 40;
const victims = ["orchestrator", "postgres", "both", "orchestrator"] as const;
/** Maximum iterations that trainers write between two kills, so that even a slow machine has iterations left. */
const share = iterations / victims.length;
const gateOf = (home: string, i: number) => join(home, `share-${i}`);

let studio: HeadlessStudio;
beforeAll(async () => {
  const behaviourIn = (home: string) => {
    const holds = Object.fromEntries(victims.slice(1).map((_, i) => [share * (i + 1), gateOf(home, i + 1)]));
    return { iterations, everyMs: 5, numKeys, holds };
  };
  studio = await HeadlessStudio.make({ ARLARENA_SLOTS: "3" }, behaviourIn, true);
});
afterAll(() => studio.close());

it("goes on after kill -9 of orchestrator and PostgreSQL; stored points equal the logs, none missing, none twice", async () => {
  const runIds = ["a", "b", "c"];
  await insertSweep(studio.database, "sweep", runIds);
  for (const [i, victim] of victims.entries()) {
    studio.startOrchestrator();
    await writeFile(gateOf(studio.home, i), "");
    while ((await countPoints(studio.database)) < i * share * numKeys * runIds.length + 1000) await sleep(37);
    if (victim !== "postgres") await studio.killOrchestrator();
    if (victim !== "orchestrator") await studio.crashPostgres();
  }
  studio.startOrchestrator();
  await studio.untilFinished(runIds.length, 240_000);
  await studio.killOrchestrator();
  expect(await studio.database.prisma.attempt.count(), "nobody was tried twice").toBe(runIds.length);
  expect(await countPoints(studio.database)).toBe(runIds.length * iterations * numKeys);
  await studio.expectStoredEqualsLog();
});

async function countPoints({ pool }: Database): Promise<number> {
  const { rows } = await pool.query<{ count: number }>(
    `SELECT coalesce((SELECT sum(num_points) FROM metric_block), 0)::int
       + coalesce((SELECT sum(cardinality(values)) FROM metric_row), 0)::int AS count`,
  );
  return rows[0]?.count ?? 0;
}
