// @module-tag soak
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, expect, it } from "vitest";
import { z } from "zod";
import { readOrigin } from "#server/db/plan/origins.ts";
import { createSweep } from "#server/db/plan/sweeps.ts";
import { readSeries } from "#server/db/runs/points.ts";
import { planBranches } from "#server/domain/plan/sweep/branchPlan.ts";
import { expandPlan } from "#server/domain/plan/sweep/expand/expand.ts";
import { parsePlan, type SweepPlan } from "#server/domain/plan/sweep/plan.ts";
import { bundleTrainer } from "#server/start/bundleTrainer.ts";
import { isMeasured } from "#trainer/spec/metric.ts";
import { findFreePort } from "#server/config/freePort.ts";
import { createApiToken } from "#server/db/people/apiTokens.ts";
import { buildApp } from "#server/start/buildApp.ts";
import { keepRunning, type Running } from "#server/start/keepRunning.ts";
import { webService } from "#server/start/services.ts";
import { HeadlessStudio } from "./testing/headlessStudio.ts";

const [iterations, after] = [12, 7];

/** Only iterations 10, 11 and 12 have checkpoints, so a branch recomputes the state after iteration 7. */
const plan = parsePlan(`
name: origin
methods: [grpo]
environments: [{ id: sokoban, maxTurns: 3 }]
base:
  initialisation: { kind: demonstrations, numEpisodes: 30, epochs: 1 }
  rollout: { numGroups: 4, groupSize: 4, historyLength: 0, maxResponseTokens: 12 }
  evaluation: { every: 4, numEpisodes: 6 }
  budget: { iterations: ${iterations} }
  execution: { checkpointEvery: 10 }
seeds: [0]
`);

let studio: HeadlessStudio;
let web: Running & { address: string; token: string };
beforeAll(async () => {
  const home = join(process.env["ARLARENA_GRAPH_CACHE"] ?? ".", "branchKill");
  const bundle = await bundleTrainer(home);
  const variables = { ARLARENA_SLOTS: "2", ARLARENA_GRACE_SECONDS: "4", ARLARENA_TRAINER_BUNDLE: bundle ?? "" };
  studio = await HeadlessStudio.make(variables, () => ({ iterations: 1, everyMs: 1 }));
  web = await startWeb();
}, 900_000);
afterAll(async () => {
  await web.stop();
  await studio.close();
});

/** Starts the web app under its supervisor, which restarts it when it is killed. */
async function startWeb(): Promise<typeof web> {
  const { home, database, url } = studio;
  const port = await findFreePort();
  const address = `http://127.0.0.1:${port}`;
  const parts = {
    config: { host: "127.0.0.1", port },
    address,
    buildFolder: await buildApp(() => {}, new AbortController().signal),
    secret: "s".repeat(32),
    logs: home,
    shared: { DATABASE_URL: url, ARLARENA_HOME: home },
  };
  const running = keepRunning(webService(parts), () => {});
  const scopes = ["read"] as const;
  const token = await createApiToken(database, { name: "branch", scopes });
  return { ...running, address, token };
}

/** Reads the run's latest iteration from the web app; undefined while the app does not respond. */
async function askWeb(runId: string): Promise<number | undefined> {
  const headers = { authorization: `Bearer ${web.token}` };
  const response = await fetch(`${web.address}/api/v1/run/byId?id=${runId}`, { headers }).catch(() => undefined);
  return response?.ok ? z.object({ latestIteration: z.int() }).parse(await response.json()).latestIteration : undefined;
}

it(
  "branches outlive kill -9 of the orchestrator, the web app and the trainer at work, and equal their run",
  { timeout: 900_000 },
  async () => {
    const { prisma, pool } = studio.database;
    const launch = async (made: SweepPlan) => {
      const sweepId = await createSweep(studio.database, { plan: made, expansion: expandPlan(made) });
      return (await prisma.run.findMany({ where: { sweepId }, orderBy: { id: "asc" } })).map(({ id }) => id);
    };
    const [origin = ""] = await launch(plan);
    studio.startOrchestrator();
    await studio.untilFinished(1, 300_000);
    const branch = planBranches(await readOrigin(studio.database, origin), {
      iteration: after,
      kind: "branch",
      continuations: 2,
      changes: {},
    });
    const [same = "", other = ""] = await launch(branch);

    const attempts = (runId: string) => prisma.attempt.findMany({ where: { runId }, orderBy: { number: "asc" } });
    const until = async (holds: () => Promise<boolean>) => {
      for (const endMs = Date.now() + 200_000; !(await holds()); await sleep(20))
        if (Date.now() > endMs) throw new Error("waited 200 s");
    };
    const isComputing = async () =>
      [...(await attempts(same)), ...(await attempts(other))].some(({ folder }) =>
        existsSync(join(folder, "origin", "events.jsonl")),
      );
    await until(isComputing);
    await studio.killOrchestrator();
    for (const { folder } of [...(await attempts(same)), ...(await attempts(other))]) killTrainer(folder);
    studio.startOrchestrator();
    const reached = async () => (await prisma.run.findMany({ where: { id: same } }))[0]?.latestIteration ?? 0;
    await until(async () => (await reached()) > after && (await askWeb(same)) !== undefined);
    const killed = killWeb();
    await studio.killOrchestrator();
    expect(await askWeb(same)).toBe(undefined);
    studio.startOrchestrator();
    await studio.untilFinished(3, 400_000);
    await studio.killOrchestrator();
    await until(async () => (await askWeb(same)) === iterations);
    expect(listWeb()).not.toContain(killed);

    await studio.expectStoredEqualsLog();
    const keys = [...new Set((await prisma.metricName.findMany()).map(({ key }) => key))].filter(
      (key) => !isMeasured(key),
    );
    const valuesOf = async (runId: string) =>
      (await readSeries(pool, { runIds: [runId], keys })).flatMap(({ key, iterations: at, values }) =>
        [...at].flatMap((iteration, i) => (iteration > after ? [[key, iteration, values[i]] as const] : [])),
      );
    const whole = await valuesOf(origin);
    expect(whole.length).toBeGreaterThan(100);
    expect(await valuesOf(same)).toEqual(whole);
    expect(await valuesOf(other)).not.toEqual(whole);
  },
);

/** Lists the processes of the web app, which are children of this process. */
function listWeb(): number[] {
  const children = readFileSync(`/proc/${process.pid}/task/${process.pid}/children`, "utf8").trim().split(" ");
  return children.map(Number).filter((pid) => {
    // Next.js names its process "next-server".
    return existsSync(`/proc/${pid}/cmdline`) && /next/.test(readFileSync(`/proc/${pid}/cmdline`, "utf8"));
  });
}

/** Kills the web app with SIGKILL; returns the id of the killed process. */
function killWeb(): number {
  const [pid, ...others] = listWeb();
  if (pid === undefined || others.length > 0) throw new Error("there is not one web app");
  process.kill(pid, "SIGKILL");
  return pid;
}

/** Kills a job's trainer with SIGKILL; its wrapper writes the exit code. */
function killTrainer(folder: string): void {
  try {
    const leader = Number(/"pid":(\d+)/.exec(readFileSync(join(folder, "pid.json"), "utf8"))?.[1]);
    const [child = ""] = readFileSync(`/proc/${leader}/task/${leader}/children`, "utf8").trim().split(" ");
    if (Number(child) > 1) process.kill(Number(child), "SIGKILL");
  } catch {
    // The process has ended already.
  }
}
