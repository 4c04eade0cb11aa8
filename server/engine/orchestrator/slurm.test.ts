// @module-tag soak
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { chmod, mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createSweep } from "#server/db/plan/sweeps.ts";
import { makeTestDatabase, type TestDatabase } from "#server/db/testing/testDatabase.ts";
import { SlurmNode } from "#server/domain/fleet/nodes/node.ts";
import { expandPlan } from "#server/domain/plan/sweep/expand/expand.ts";
import { checkPlan, parsePlan } from "#server/domain/plan/sweep/plan.ts";
import { makeSlurmLauncher } from "#server/engine/launchers/slurm/slurm.ts";
import { findSlurm, makeSlurmCluster, type SlurmCluster } from "#server/engine/launchers/slurm/testing/realSlurm.ts";
import { Receipt } from "#server/engine/launchers/slurm/receipt.ts";
import { makeAskSlurm } from "#server/engine/launchers/slurm/cluster.ts";
import { methods } from "#trainer/spec/method.ts";
import { RunSpec } from "#trainer/spec/run.ts";
import { bundleOrchestrator } from "./testing/bundleOrchestrator.ts";
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

/** Program of another trainer that prints its measurements. */
const printing = `
  for (let step = 1; step <= 20; step++) console.log(JSON.stringify({ step, "actor/grad_norm": step / 10 }));
`;
const theirs = {
  trainers: { printing: { kind: "command", command: [process.execPath, "-e", printing.replaceAll(/[{}]/g, "$&$&")] } },
};

const slurm = findSlurm();
const why = "missing" in slurm ? ` (skipped: ${slurm.missing})` : "";

describe.skipIf("missing" in slurm)(`a sweep on a cluster, through a real Slurm${why}`, () => {
  let home = "";
  let cluster: SlurmCluster;
  let database: TestDatabase;
  let main = "";
  let orchestrator: ChildProcess | undefined;
  const gate = () => join(home, "gate");

  beforeAll(async () => {
    if ("missing" in slurm) return;
    home = await mkdtemp(join(tmpdir(), "arlarena-cluster-"));
    await chmod(home, 0o755);
    cluster = await makeSlurmCluster(join(home, "slurm"), slurm);
    database = await makeTestDatabase();
    main = await bundleOrchestrator();
    // A Node.js that keeps each job running until a gate file exists or the test ends, so that jobs are running at
    // every outage.
    const held = `while [ -d '${home}' ] && [ ! -e '${gate()}' ]; do sleep 0.1; done`;
    const text = `#!/bin/sh\n'${process.execPath}' "$@"\ncode=$?\n${held}\nexit $code\n`;
    await writeFile(join(home, "node"), text, { mode: 0o755 });
    const place = { folder: join(home, "shared"), partition: "short", time: "30:00", node: join(home, "node") };
    const node = { kind: "slurm", name: "cluster", ...place, slots: { per: "job", count: 10 }, warnSeconds: 60 };
    // JSON is valid YAML.
    await writeFile(join(home, "nodes.yaml"), JSON.stringify({ nodes: [node] }));
    await writeFile(join(home, "trainers.yaml"), JSON.stringify(theirs));
  });
  afterAll(async () => {
    orchestrator?.kill("SIGKILL");
    await database.close();
    await cluster.close();
    await rm(home, { recursive: true, force: true });
  });

  it("trains four runs on two machines to the end, though controller and orchestrator are killed in between", async () => {
    const sweep = parsePlan(plan);
    await createSweep(database, { plan: sweep, expansion: expandPlan(sweep) });
    start();
    const isWaiting = ({ jobState, jobText }: { jobState: string; jobText: string | null }) =>
      jobState === "queued" && /^(Resources|Priority|None)$/.test(jobText ?? "");
    // The cluster has slots for only two runs.
    await until(async () => (await readAttempts()).some(isWaiting));
    await until(async () => (await readAttempts()).some(({ lastSeq }) => lastSeq >= 2));
    // Slurm saves its state within five seconds. A controller that is killed before forgets running jobs, and takes the
    // machines out of service when they report such jobs.
    await sleep(15_000);
    await cluster.killController();
    await until(async () => (await readAttempts()).some(({ jobState }) => jobState === "unknown"));
    await killOrchestrator();
    cluster.startController();
    start();
    await writeFile(gate(), "");
    const isOver = async () => (await database.prisma.run.count({ where: { status: "finished" } })) === 4;
    await until(isOver);

    const attempts = await readAttempts();
    expect(attempts, "nobody was tried twice").toHaveLength(4);
    for (const { id, runId, folder, started } of attempts) {
      const log = readFileSync(join(home, "shared/runs", runId, "1/events.jsonl"), "utf8");
      expect(await listStoredPoints(database, id)).toEqual(listLoggedPoints(log));
      expect(started, "the trainer says which code it is").not.toContain('"code":"source"');
      expect(readFileSync(join(folder, "policy.onnx")).byteLength, "what it trained is here").toBeGreaterThan(10_000);
    }
    expect(new Set(attempts.map(({ host }) => host)), "both machines worked").toEqual(new Set(["n1", "n2"]));
    // A single poll may fail; the next poll is reported instead.
    const isFine = async () => (await database.prisma.nodeSighting.count({ where: { problem: null } })) === 1;
    await until(isFine);
    const [seen] = await database.prisma.nodeSighting.findMany();
    expect(seen).toMatchObject({ name: "cluster", isConfigured: true });
  }, 900_000);

  it("runs a program of somebody else's under the adapter, every measurement stored", async () => {
    const sweep = checkPlan({
      name: "Theirs on a cluster",
      methods: ["grpo"],
      environments: [{ id: "sokoban" }],
      base: { trainer: { name: "printing", options: {} }, budget: { iterations: 20 } },
      seeds: [0, 1],
    });
    const sweepId = await createSweep(database, { plan: sweep, expansion: expandPlan(sweep) });
    const isOver = async () => (await database.prisma.run.count({ where: { sweepId, endedAt: null } })) === 0;
    await until(isOver);
    const runs = await database.prisma.run.findMany({ where: { sweepId }, include: { attempts: true } });
    expect(runs.map(({ status, latestIteration }) => [status, latestIteration])).toEqual([
      ["finished", 20],
      ["finished", 20],
    ]);
    for (const { id, runId, number } of runs.flatMap(({ attempts }) => attempts)) {
      const log = readFileSync(join(home, "shared/runs", runId, String(number), "events.jsonl"), "utf8");
      expect(await listStoredPoints(database, id)).toEqual(listLoggedPoints(log));
    }
  }, 900_000);

  it("takes jobs that are launched together as one array, and one of them away alone", async () => {
    const folder = join(home, "arrays");
    // A fake trainer that runs until it is stopped.
    const trainers = join(folder, "bundles/slurm-abc-1");
    await mkdir(trainers, { recursive: true });
    await writeFile(join(trainers, "trainer.mjs"), "sleep 1");
    const slots = { per: "job", count: 10 };
    const node = SlurmNode.parse({ kind: "slurm", name: "arrays", folder, slots, node: "/bin/sh" });
    const bundle = { trainer: "/trainers/abc/trainer.mjs", agent: "", nodeModules: "", engineVersion: "1" };
    const ask = makeAskSlurm({ ...process.env, ...cluster.environment });
    const launcher = makeSlurmLauncher({ node, home, bundle, ask, pollMs: 200, gatherMs: 600_000 });
    const jobIds = ["a.1", "b.1", "c.1", "d.1"];
    const { aggregation, clipping, advantage, sampling } = methods.grpo;
    const method = { aggregation, clipping, advantage, sampling };
    const spec = RunSpec.parse({ v: 1, seed: 0, environment: { id: "sokoban" }, method });
    for (const jobId of jobIds) await launcher.launch({ jobId, spec, devices: [] });
    const look = async () => {
      const { states } = await launcher.observe(jobIds.map((jobId) => ({ jobId, logOffset: 0 })));
      return jobIds.map((jobId) => states.get(jobId));
    };
    await look();
    const receipts = jobIds.map((jobId) => readFileSync(join(launcher.folderOf(jobId), "slurm.json"), "utf8"));
    const slurmIds = receipts.map((text) => Receipt.parse(JSON.parse(text)).slurmId);
    const [array = ""] = (slurmIds[0] ?? "").split("_");
    expect(slurmIds).toEqual(jobIds.map((_, i) => `${array}_${i}`));
    // The cluster has slots for only two jobs, so the last job waits.
    await launcher.cancel("d.1");
    let states = await look();
    await until(async () => {
      states = await look();
      return states.every((state) => state?.state === "exited" || state?.state === "lost");
    });
    expect(states.slice(0, 3)).toMatchObject(["a", "b", "c"].map(() => ({ state: "exited", exitCode: 0 })));
    expect(states[3], "it never began").toMatchObject({ state: "exited", exitCode: 143 });
  }, 900_000);

  function start(): void {
    const own = {
      DATABASE_URL: database.url,
      ARLARENA_HOME: home,
      ARLARENA_NODES: "",
      ARLARENA_TRAINER_BUNDLE: "",
      ...cluster.environment,
    };
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
