// @module-tag soak
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, expect, it } from "vitest";
import { insertSweep } from "#server/db/testing/insertRun.ts";
import { HeadlessStudio } from "./testing/headlessStudio.ts";

const graceSeconds = 2;
const frozenMs = 1000 * (graceSeconds + 2);
const gateOf = (home: string) => join(home, "gate");

let studio: HeadlessStudio;
beforeAll(async () => {
  const variables = { ARLARENA_SLOTS: "2", ARLARENA_GRACE_SECONDS: String(graceSeconds) };
  // Trainers must still be training when the orchestrator is resumed.
  const behaviourIn = (home: string) => ({ iterations: 50, everyMs: 20, numKeys: 20, holds: { 40: gateOf(home) } });
  studio = await HeadlessStudio.make(variables, behaviourIn);
});
afterAll(() => studio.close());

it("declares no healthy run dead after a stop longer than every grace period", async () => {
  await insertSweep(studio.database, "frozen", ["frozen0", "frozen1"]);
  const orchestrator = studio.startOrchestrator();
  while ((await studio.countRuns("running")) < 2) await sleep(50);
  orchestrator.kill("SIGSTOP");
  await sleep(frozenMs);
  orchestrator.kill("SIGCONT");
  // The first round after the stop may be the one that was interrupted.
  for (let round = 0; round < 3; round++) await untilNextRound();
  await writeFile(gateOf(studio.home), "");
  await studio.untilFinished(2, 240_000);
  await studio.killOrchestrator();
  expect(await studio.database.prisma.attempt.count({ where: { run: { sweepId: "frozen" } } })).toBe(2);
  await studio.expectStoredEqualsLog();
});

async function untilNextRound(): Promise<void> {
  const { prisma } = studio.database;
  const readAt = async () => (await prisma.orchestratorHeartbeat.findFirstOrThrow()).at.getTime();
  for (const before = await readAt(); (await readAt()) === before;) await sleep(20);
}
