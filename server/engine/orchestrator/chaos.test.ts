// @module-tag soak
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { readSeries } from "#server/db/runs/points.ts";
import { insertSweep } from "#server/db/testing/insertRun.ts";
import { RunEvent } from "#trainer/spec/event.ts";
import { split } from "#trainer/spec/rng.ts";
import { HeadlessStudio } from "./testing/headlessStudio.ts";

const chaosMs = 120_000;
const numRuns = 12;
const iterations = 350;
/** Short grace period: runs are declared lost between two faults, not only after the last fault. */
const graceSeconds = 4;

type Victim = "orchestrator" | "trainer" | "wrapper" | "job" | "postgres";
// Without its wrapper, a job writes no exit code and counts as lost only after a grace period.
const victims: readonly Victim[] = [
  "orchestrator",
  "postgres",
  ...(["trainer", "trainer", "trainer", "wrapper", "wrapper", "job", "job"] as const),
];

describe.skipIf(!existsSync("/proc/self/task"))("in chaos (needs /proc to find its victims)", () => {
  let studio: HeadlessStudio;
  beforeAll(async () => {
    const variables = { ARLARENA_SLOTS: "6", ARLARENA_GRACE_SECONDS: String(graceSeconds) };
    const trainer = { iterations, everyMs: 100, numKeys: 20, resumes: true };
    studio = await HeadlessStudio.make(variables, () => trainer, true);
  });
  afterAll(() => studio.close());

  it("twelve runs outlive kill -9 of everything that has a part in them; every logged point is stored once", async () => {
    const rng = split(Number(process.env["ARLARENA_CHAOS_SEED"] ?? 1), "chaos");
    const runIds = Array.from({ length: numRuns }, (_, i) => `run${i}`);
    await insertSweep(studio.database, "sweep", runIds);
    // Faults of machines are retried up to the user's limit of attempts.
    await studio.database.prisma.run.updateMany({ data: { maxAttempts: 200 } });
    studio.startOrchestrator();
    const counts = new Map<Victim, number>();
    const countFaults = () => [...counts.values()].reduce((sum, count) => sum + count, 0);
    // The loop creates at least four faults, however long each takes.
    for (const endMs = Date.now() + chaosMs; Date.now() < endMs || countFaults() < 4;) {
      await sleep(500 + rng.next() * 2500);
      const victim = victims[rng.int(victims.length)] ?? "orchestrator";
      if (await strike(victim, (count) => rng.int(count))) counts.set(victim, (counts.get(victim) ?? 0) + 1);
    }
    await studio.untilFinished(numRuns, 480_000);
    await studio.killOrchestrator();

    await studio.expectStoredEqualsLog();
    for (const runId of runIds) await expectOneLife(runId);
    const { pool, prisma } = studio.database;
    const series = await readSeries(pool, { runIds, keys: ["policy/entropy"] });
    const all = Array.from({ length: iterations }, (_, i) => i + 1);
    expect(series.map((one) => [...one.iterations])).toEqual(runIds.map(() => all));
    const numAttempts = await prisma.attempt.count();
    const faults = [...counts].map(([victim, count]) => `${count} × ${victim}`).join(", ");
    console.log(`survived ${countFaults()} faults (${faults}): ${numRuns} runs finished in ${numAttempts} attempts`);
    expect(countFaults()).toBeGreaterThan(3);
  }, 900_000);

  /** Kills one part of the system; true if it existed. Restarts the orchestrator and PostgreSQL. */
  async function strike(victim: Victim, choose: (count: number) => number): Promise<boolean> {
    switch (victim) {
      case "orchestrator":
        await studio.killOrchestrator();
        studio.startOrchestrator();
        return true;
      case "postgres":
        await studio.crashPostgres();
        return true;
      case "trainer":
      case "wrapper":
      case "job": {
        const live = await studio.database.prisma.attempt.findMany({ where: { live: true }, orderBy: { id: "asc" } });
        const attempt = live[live.length === 0 ? 0 : choose(live.length)];
        return attempt !== undefined && killPart(attempt.folder, victim);
      }
    }
  }

  /** Checks that no two attempts of a run wrote at the same time, and that no two are live. */
  async function expectOneLife(runId: string): Promise<void> {
    const attempts = await studio.database.prisma.attempt.findMany({ where: { runId }, orderBy: { number: "asc" } });
    expect(attempts.filter(({ live }) => live)).toEqual([]);
    const spans = attempts.flatMap(({ folder }) => {
      const path = join(folder, "events.jsonl");
      const lines = existsSync(path) ? readFileSync(path, "utf8").trimEnd().split("\n") : [];
      const times = lines.map((line) => RunEvent.parse(JSON.parse(line)).atMs);
      return times.length === 0 ? [] : [{ from: times[0] ?? 0, to: times.at(-1) ?? 0 }];
    });
    for (const [i, { from }] of spans.entries()) expect(from, runId).toBeGreaterThan(spans[i - 1]?.to ?? 0);
  }
});

/** Kills a job's wrapper, its trainer, or the whole process group with SIGKILL. */
function killPart(folder: string, part: "trainer" | "wrapper" | "job"): boolean {
  const path = join(folder, "pid.json");
  const leader = existsSync(path) ? Number(/"pid":(\d+)/.exec(readFileSync(path, "utf8"))?.[1]) : 0;
  if (leader <= 1 || existsSync(join(folder, "exit"))) return false;
  try {
    if (part === "job") return process.kill(-leader, "SIGKILL");
    if (part === "wrapper") return process.kill(leader, "SIGKILL");
    const [child] = readFileSync(`/proc/${leader}/task/${leader}/children`, "utf8").trim().split(" ");
    return child !== undefined && child !== "" && process.kill(Number(child), "SIGKILL");
  } catch {
    return false;
  }
}
