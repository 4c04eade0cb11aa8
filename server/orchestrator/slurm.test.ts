import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { chmod, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { migrate } from "#prisma/migrate.ts";
import { type Database, makeDatabase } from "#server/db/client.ts";
import { makePostgres, type Postgres } from "#server/db/embedded/postgres.ts";
import { createSweep } from "#server/db/sweeps.ts";
import { expandPlan } from "#server/domain/sweep/expand.ts";
import { parsePlan } from "#server/domain/sweep/plan.ts";
import { findSlurm, makeSlurmCluster, type SlurmCluster } from "#server/launchers/slurm/testing/realSlurm.ts";
import { listLoggedPoints, listStoredPoints } from "./testing/storedPoints.ts";

const plan = `
name: On a cluster
methods: [grpo, sampo]
environments: [{ id: sokoban, size: 5, numBoxes: 1, maxTurns: 4, reward: sparse }]
base:
  initialisation: { kind: demonstrations, numEpisodes: 40, epochs: 1 }
  rollout: { historyLength: 0, maxResponseTokens: 12, numGroups: 4, groupSize: 4 }
  evaluation: { every: 4, numEpisodes: 8 }
  budget: { iterations: 8 }
seeds: [0, 1]
`;

const slurm = findSlurm();
const why = "missing" in slurm ? ` (skipped: ${slurm.missing})` : "";

describe.skipIf("missing" in slurm)(`a sweep on a cluster, through a real Slurm${why}`, () => {
  let home = "";
  let cluster: SlurmCluster;
  let postgres: Postgres;
  let database: Database;
  let orchestrator: ChildProcess | undefined;

  beforeAll(async () => {
    if ("missing" in slurm) return;
    home = await mkdtemp(join(tmpdir(), "arlarena-cluster-"));
    await chmod(home, 0o755);
    cluster = await makeSlurmCluster(join(home, "slurm"), slurm);
    postgres = await makePostgres({ home, isDurable: false });
    await migrate(postgres.url);
    database = makeDatabase(postgres.url);
    const place = { folder: join(home, "shared"), partition: "short", time: "30:00", node: process.execPath };
    const node = { kind: "slurm", name: "cluster", ...place, slots: { per: "job", count: 10 }, warnSeconds: 60 };
    // JSON is YAML.
    await writeFile(join(home, "nodes.yaml"), JSON.stringify({ nodes: [node] }));
  }, 120_000);
  afterAll(async () => {
    orchestrator?.kill("SIGKILL");
    await database.close();
    await postgres.close();
    await cluster.close();
    await rm(home, { recursive: true, force: true });
  }, 60_000);

  it("trains four runs on two machines to the end, though controller and orchestrator are killed in between", async () => {
    const sweep = parsePlan(plan);
    await createSweep(database, { plan: sweep, expansion: expandPlan(sweep) });
    start();
    const isWaiting = ({ jobState, jobText }: { jobState: string; jobText: string | null }) =>
      jobState === "queued" && /^(Resources|Priority|None)$/.test(jobText ?? "");
    // The cluster has room for two.
    await until(async () => (await readAttempts()).some(isWaiting), 60_000);
    await until(async () => (await readAttempts()).some(({ lastSeq }) => lastSeq >= 2), 120_000);
    await cluster.killController();
    await until(async () => (await readAttempts()).some(({ jobState }) => jobState === "unknown"), 60_000);
    await killOrchestrator();
    cluster.startController();
    start();
    const isOver = async () => (await database.prisma.run.count({ where: { status: "finished" } })) === 4;
    await until(isOver, 240_000);

    const attempts = await readAttempts();
    expect(attempts, "nobody was tried twice").toHaveLength(4);
    for (const { id, runId, folder, started } of attempts) {
      const log = readFileSync(join(home, "shared/runs", runId, "1/events.jsonl"), "utf8");
      expect(await listStoredPoints(database, id)).toEqual(listLoggedPoints(log));
      expect(started, "the trainer says which code it is").not.toContain('"code":"source"');
      expect(readFileSync(join(folder, "policy.onnx")).byteLength, "what it trained is here").toBeGreaterThan(10_000);
    }
    expect(new Set(attempts.map(({ host }) => host)), "both machines worked").toEqual(new Set(["n1", "n2"]));
    const [seen] = await database.prisma.nodeSighting.findMany();
    expect(seen).toMatchObject({ name: "cluster", problem: null, isConfigured: true });
  }, 500_000);

  function start(): void {
    const main = fileURLToPath(new URL("main.ts", import.meta.url));
    const own = {
      DATABASE_URL: postgres.url,
      ARLARENA_HOME: home,
      ARLARENA_NODES: "",
      ARLARENA_TRAINER_BUNDLE: "",
      ...cluster.environment,
    };
    const args = ["--import", import.meta.resolve("tsx"), main];
    orchestrator = spawn(process.execPath, args, { env: { ...process.env, ...own }, stdio: "ignore" });
  }

  async function killOrchestrator(): Promise<void> {
    const child = orchestrator;
    orchestrator = undefined;
    if (child?.kill("SIGKILL") === true) await once(child, "exit");
  }

  async function readAttempts() {
    const attempts = await database.prisma.attempt.findMany({ orderBy: { id: "asc" } });
    return attempts.map(({ started, ...attempt }) => ({ ...attempt, started: JSON.stringify(started) }));
  }

  async function until(isSo: () => Promise<boolean>, withinMs: number): Promise<void> {
    const endMs = Date.now() + withinMs;
    while (!(await isSo())) {
      if (Date.now() > endMs) {
        const runs = await database.prisma.run.findMany({ include: { statusEvents: true, attempts: true } });
        const text = (_: string, value: unknown) => (typeof value === "bigint" ? Number(value) : value);
        throw new Error(JSON.stringify([runs, await database.prisma.nodeSighting.findMany()], text));
      }
      await sleep(100);
    }
  }
});
