import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, expect, it } from "vitest";
import { insertSweep } from "#server/db/testing/insertRun.ts";
import { HeadlessStudio } from "./testing/headlessStudio.ts";

const graceSeconds = 5;
const frozenMs = 1000 * (graceSeconds + 5);

let studio: HeadlessStudio;
beforeAll(async () => {
  // Still at work when the orchestrator is resumed.
  const trainer = { iterations: 250, everyMs: 100, numKeys: 20 };
  const variables = { ARLARENA_SLOTS: "2", ARLARENA_GRACE_SECONDS: String(graceSeconds) };
  studio = await HeadlessStudio.make(variables, () => trainer);
});
afterAll(() => studio.close());

it("declares no healthy run dead after a stop longer than every grace period", async () => {
  await insertSweep(studio.database, "frozen", ["frozen0", "frozen1"]);
  const orchestrator = studio.startOrchestrator();
  while ((await studio.countRuns("running")) < 2) await sleep(200);
  orchestrator.kill("SIGSTOP");
  await sleep(frozenMs);
  orchestrator.kill("SIGCONT");
  await studio.untilFinished(2, 240_000);
  await studio.killOrchestrator();
  expect(await studio.database.prisma.attempt.count({ where: { run: { sweepId: "frozen" } } })).toBe(2);
  await studio.expectStoredEqualsLog();
});
