// @module-tag soak
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createSweep } from "#server/db/plan/sweeps.ts";
import { makeTestDatabase, type TestDatabase } from "#server/db/testing/testDatabase.ts";
import { expandPlan } from "#server/domain/plan/sweep/expand/expand.ts";
import { parsePlan } from "#server/domain/plan/sweep/plan.ts";
import { findSshd, makeSshServer, type SshServer } from "#server/engine/launchers/ssh/testing/sshServer.ts";
import { bundleOrchestrator } from "./testing/bundleOrchestrator.ts";
import { listLoggedPoints, listStoredPoints } from "./testing/storedPoints.ts";

const plan = `
name: Far away
methods: [grpo, sampo]
environments: [{ id: sokoban, size: 5, numBoxes: 1, maxTurns: 4, reward: sparse }]
base:
  initialisation: { kind: demonstrations, numEpisodes: 40, epochs: 1 }
  rollout: { historyLength: 0, maxResponseTokens: 12, numGroups: 4, groupSize: 4 }
  evaluation: { every: 4, numEpisodes: 8 }
  budget: { iterations: 8 }
seeds: [0, 1]
`;

const sshd = findSshd();
const why = "missing" in sshd ? ` (skipped: ${sshd.missing})` : "";

describe.skipIf("missing" in sshd)(`a sweep on another machine, through a real OpenSSH server${why}`, () => {
  let home = "";
  let server: SshServer;
  let database: TestDatabase;
  let main = "";
  let orchestrator: ChildProcess | undefined;

  beforeAll(async () => {
    if ("missing" in sshd) return;
    home = await mkdtemp(join(tmpdir(), "arlarena-far-"));
    server = await makeSshServer(join(home, "server"), sshd);
    database = await makeTestDatabase();
    main = await bundleOrchestrator();
    const { port, user, identityFile, hostKey } = server;
    const place = { host: "127.0.0.1", port, user, identityFile, hostKeys: [hostKey], folder: join(home, "far") };
    const slots = { per: "gpu", devices: [0, 1] };
    const node = { kind: "ssh", name: "far", ...place, slots, labels: ["gpu"], node: process.execPath };
    // JSON is valid YAML.
    await writeFile(join(home, "nodes.yaml"), JSON.stringify({ nodes: [node] }));
  });
  afterAll(async () => {
    orchestrator?.kill("SIGKILL");
    await database.close();
    await server.close();
    await rm(home, { recursive: true, force: true });
  });

  it("trains four runs to the end, though server, connections and orchestrator are killed in between", async () => {
    const sweep = parsePlan(plan);
    const sweepId = await createSweep(database, { plan: sweep, expansion: expandPlan(sweep) });
    start();
    await until(async () => (await readAttempts()).some(({ lastSeq }) => lastSeq >= 2));
    const firstTwo = (await readAttempts()).slice(0, 2);
    expect(firstTwo.map(({ devices }) => devices)).toEqual([["0"], ["1"]]);
    await server.kill();
    await until(async () => (await readAttempts()).some(({ jobState }) => jobState === "unknown"));
    await server.start();
    await killOrchestrator();
    start();
    const isOver = async () => (await database.prisma.run.count({ where: { status: "finished" } })) === 4;
    await until(isOver);

    const attempts = await readAttempts();
    expect(attempts, "nobody was tried twice").toHaveLength(4);
    for (const { id, runId, folder, started } of attempts) {
      const far = readFileSync(join(home, "far/runs", runId, "1/events.jsonl"), "utf8");
      expect(readFileSync(join(folder, "events.jsonl"), "utf8")).toBe(far);
      expect(await listStoredPoints(database, id)).toEqual(listLoggedPoints(far));
      expect(started, "the trainer says which code it is").not.toContain('"code":"source"');
      expect(readFileSync(join(folder, "policy.onnx")).byteLength, "what it trained is here").toBeGreaterThan(10_000);
    }
    expect(await database.prisma.sweep.findUnique({ where: { id: sweepId } })).toMatchObject({ intent: "run" });
    // A single poll may fail; the next poll is reported instead.
    const isFine = async () => (await database.prisma.nodeSighting.count({ where: { problem: null } })) === 1;
    await until(isFine);
    const [seen] = await database.prisma.nodeSighting.findMany();
    expect(seen).toMatchObject({ name: "far", isConfigured: true });
  }, 900_000);

  function start(): void {
    const own = { DATABASE_URL: database.url, ARLARENA_HOME: home, ARLARENA_NODES: "", ARLARENA_TRAINER_BUNDLE: "" };
    orchestrator = spawn(process.execPath, [main], { env: { ...process.env, ...own }, stdio: "ignore" });
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

  async function until(isSo: () => Promise<boolean>): Promise<void> {
    // This limit detects a test that hangs, not a slow one.
    const endMs = Date.now() + 300_000;
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
