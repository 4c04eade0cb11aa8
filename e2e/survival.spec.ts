import { existsSync } from "node:fs";
import { mkdtemp, readFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "@playwright/test";
import { listLoggedPoints, listStoredPoints } from "#server/engine/orchestrator/testing/storedPoints.ts";
import { forgetHome } from "./stack/forgetHome.ts";
import { runCli, tinySweep } from "./stack/runCli.ts";
import { killStudio, startStudio, stopStudio } from "./stack/startStudio.ts";
import { withDatabase } from "./stack/withDatabase.ts";

const iterations = 20;

test("kill -9 of web app, orchestrator, PostgreSQL and supervisor: runs go on, no point is lost or doubled", async () => {
  test.skip(!existsSync("/proc/self/task"), "the processes to kill are found through /proc");
  test.setTimeout(900_000);
  const home = await mkdtemp(join(tmpdir(), "arlarena-survival-"));
  // Two slots, so that both runs train at a time, however many cores the machine has.
  const environment = { ARLARENA_SLOTS: "2" };
  let studio = await startStudio(home, environment);
  try {
    const sweep = tinySweep({ name: "Survivor", methods: "[grpo]", seeds: "[0, 1]", iterations });
    expect((await runCli(home, ["sweep", "run", "-"], sweep)).code).toBe(0);
    const reached = async () => Math.min(...(await readRuns(home)).map(({ latestIteration }) => latestIteration));
    await expect.poll(reached, { timeout: 300_000, intervals: [100] }).toBeGreaterThan(1);
    const before = await readRuns(home);
    expect(before.map(({ status }) => status)).toEqual(["running", "running"]);

    const killed = (await killStudio(studio)).join("\n");
    for (const part of [/next/, /orchestrator/, /postgres/]) expect(killed).toMatch(part);

    studio = await startStudio(home, environment);
    const isOver = async () => (await readRuns(home)).map(({ status }) => status);
    await expect.poll(isOver, { timeout: 300_000 }).toEqual(["finished", "finished"]);
    const runs = await readRuns(home);
    expect(runs.map(({ latestIteration }) => latestIteration)).toEqual([iterations, iterations]);
    // The trainers were not restarted, because they survived.
    expect(runs.map(({ number }) => number)).toEqual([1, 1]);
    for (const { attemptId, folder } of runs) {
      const logged = listLoggedPoints(await readFile(join(folder, "events.jsonl"), "utf8"));
      expect(logged.length).toBeGreaterThan(10 * iterations);
      expect(new Set(logged).size).toBe(logged.length);
      expect(await withDatabase(home, (database) => listStoredPoints(database, attemptId))).toEqual(logged);
    }
  } finally {
    await stopStudio(studio);
    await forgetHome(home);
  }
});

type RunNow = { status: string; latestIteration: number; number: number; attemptId: number; folder: string };

/** Reads every attempt of the state folder's runs. */
function readRuns(home: string): Promise<RunNow[]> {
  return withDatabase(home, async ({ pool }) => {
    const { rows } = await pool.query<RunNow>(
      `SELECT run.status, run.latest_iteration AS "latestIteration", attempt.number, attempt.id AS "attemptId",
         attempt.folder
       FROM run LEFT JOIN attempt ON attempt.run_id = run.id ORDER BY run.id, attempt.number`,
    );
    return rows;
  });
}
