import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";
import type { JobState } from "#server/domain/fleet/job.ts";
import { RayNode } from "#server/domain/fleet/nodes/node.ts";
import { bundleTools } from "#server/start/bundleTools.ts";
import { methods } from "#trainer/spec/method.ts";
import { RunSpec } from "#trainer/spec/run.ts";
import type { Launcher } from "../launcher.ts";
import { type FakeTrainer, writeFakeTrainer } from "../testing/fakeTrainer.ts";
import { makeRayLauncher } from "../registry.ts";
import { makeRayCluster, type RayCluster } from "./testing/realRay.ts";

/** Python with `ray[default]`. */
const python = process.env["ARLARENA_RAY_PYTHON"] ?? "";
const title =
  "the Ray launcher against a real cluster (skipped unless ARLARENA_RAY_PYTHON names a Python that has ray[default])";

const { aggregation, clipping, advantage, sampling } = methods.grpo;
const method = { aggregation, clipping, advantage, sampling };
const spec = RunSpec.parse({ v: 1, seed: 1, environment: { id: "sokoban" }, method });

describe.skipIf(python === "")(title, () => {
  let home = "";
  let cluster: RayCluster;
  let agent = "";
  beforeAll(async () => {
    home = await mkdtemp(join(tmpdir(), "arlarena-ray-"));
    [cluster, agent] = await Promise.all([makeRayCluster(python, 4), bundleTools(home)]);
  }, 700_000);
  afterAll(async () => {
    await cluster.close();
    // Processes of a killed head continue to write until their supervisor ends them.
    await rm(home, { recursive: true, force: true, maxRetries: 60, retryDelay: 100 });
  });

  let numTrainers = 0;
  async function makeLauncher(behaviour: FakeTrainer): Promise<Launcher> {
    const folder = join(home, "trainers", String(numTrainers++));
    await mkdir(folder, { recursive: true });
    const trainer = join(folder, "trainer.mjs");
    await writeFile(trainer, await readFile(await writeFakeTrainer(folder, behaviour)));
    await writeFile(join(folder, "programs.mjs"), "");
    const nodeModules = fileURLToPath(new URL("../../../../node_modules", import.meta.url));
    const bundle = { trainer, agent, nodeModules, engineVersion: "1" };
    const slots = { per: "job", count: 10 };
    const there = { address: cluster.address, folder: join(home, "there"), slots };
    const node = RayNode.parse({ kind: "ray", name: "cluster", ...there, node: process.execPath });
    return makeRayLauncher({ node, home, bundle, pollMs: 200, absenceMs: 2000 });
  }

  /** Parses the first line of a log. */
  const started = (log: string): { pid: number } =>
    z.object({ pid: z.int() }).parse(JSON.parse(log.split("\n")[0] ?? ""));

  async function untilEnded(launcher: Launcher, jobId: string): Promise<JobState[]> {
    const seen: JobState[] = [];
    for (;;) {
      const { states } = await launcher.observe([{ jobId, logOffset: 0 }]);
      const state = states.get(jobId);
      if (state) seen.push(state);
      if (state?.state === "exited" || state?.state === "lost") return seen;
    }
  }

  it("trains on the cluster, and brings all that the trainer wrote", async () => {
    const launcher = await makeLauncher({ iterations: 40, everyMs: 50 });
    await launcher.launch({ jobId: "plain.1", spec, devices: [] });
    const states = await untilEnded(launcher, "plain.1");
    expect(states.at(-1)).toMatchObject({ state: "exited", exitCode: 0 });
    expect(states.some(({ state }) => state === "running")).toBe(true);
    const there = readFileSync(join(home, "there/runs/plain/1/events.jsonl"), "utf8");
    const here = Buffer.from(await launcher.readLog("plain.1", 0)).toString("utf8");
    expect(here.trim().split("\n")).toHaveLength(42);
    expect(here).toBe(there);
  });

  const readJobs = async (): Promise<{ submission_id: string }[]> =>
    z.array(z.object({ submission_id: z.string() })).parse(await (await fetch(`${cluster.address}/api/jobs/`)).json());
  const look = async (launcher: Launcher, jobId: string): Promise<JobState | undefined> =>
    (await launcher.observe([{ jobId, logOffset: 0 }])).states.get(jobId);
  async function until(isSo: () => Promise<boolean>): Promise<void> {
    while (!(await isSo())) await sleep(50);
  }
  const untilLogged = (launcher: Launcher, jobId: string) =>
    until(async () => {
      await look(launcher, jobId);
      return (await launcher.readLog(jobId, 0)).length > 500;
    });

  it("starts a job once, however often and by whomever it is asked", async () => {
    const [one, other] = [
      await makeLauncher({ iterations: 3, everyMs: 10 }),
      await makeLauncher({ iterations: 3, everyMs: 10 }),
    ];
    await one.launch({ jobId: "once.1", spec, devices: [] });
    // Simulates a crash after the submission and before Ray's response was recorded.
    await rm(join(one.folderOf("once.1"), "ray.json"));
    await other.launch({ jobId: "once.1", spec, devices: [] });
    expect((await untilEnded(other, "once.1")).at(-1)).toMatchObject({ state: "exited", exitCode: 0 });
    expect((await readJobs()).filter(({ submission_id: id }) => id === "once.1")).toHaveLength(1);
  });

  it("asks a job to stop, which saves and leaves", async () => {
    const launcher = await makeLauncher({ iterations: 10_000, everyMs: 50 });
    await launcher.launch({ jobId: "cancelled.1", spec, devices: [] });
    await untilLogged(launcher, "cancelled.1");
    await launcher.cancel("cancelled.1");
    const end = (await untilEnded(launcher, "cancelled.1")).at(-1);
    expect(end).toMatchObject({ state: "exited", exitCode: 75 });
    expect(end).not.toHaveProperty("cause");
    expect(Buffer.from(await launcher.readLog("cancelled.1", 0)).toString("utf8")).toContain('"exit":"interrupted"');
  });

  it("tells a job that somebody else stopped, and one whose processes were killed", async () => {
    const launcher = await makeLauncher({ iterations: 10_000, everyMs: 50 });
    for (const jobId of ["stopped.1", "killed.1"]) {
      await launcher.launch({ jobId, spec, devices: [] });
      await untilLogged(launcher, jobId);
    }
    execFileSync(join(dirname(python), "ray"), ["job", "stop", "--no-wait", "--address", cluster.address, "stopped.1"]);
    expect((await untilEnded(launcher, "stopped.1")).at(-1)).toMatchObject({ cause: "cancelled_outside" });
    const { pid } = started(Buffer.from(await launcher.readLog("killed.1", 0)).toString("utf8"));
    // Kills only the trainer; the courier survives and reports the trainer's exit code.
    process.kill(pid, "SIGKILL");
    expect((await untilEnded(launcher, "killed.1")).at(-1)).toMatchObject({ state: "exited", exitCode: 137 });
  });

  it("loses no line that it has when machine and head are killed, and tells what became of the jobs", async () => {
    const launcher = await makeLauncher({ iterations: 2000, everyMs: 50 });
    await launcher.launch({ jobId: "moved.1", spec, devices: [] });
    await untilLogged(launcher, "moved.1");
    await cluster.killWorker();
    expect((await untilEnded(launcher, "moved.1")).at(-1)).toMatchObject({ state: "lost", cause: "node_failed" });
    await cluster.startWorker();
    await launcher.launch({ jobId: "moved.2", spec, devices: [] });
    await untilLogged(launcher, "moved.2");
    await cluster.killHead();
    const before = Buffer.from(await launcher.readLog("moved.2", 0)).toString("utf8");
    const observation = await launcher.observe([{ jobId: "moved.2", logOffset: 0 }]);
    expect(observation.contact).toMatchObject({ isMade: false });
    expect(observation.states.get("moved.2")).toMatchObject({ state: "unknown" });
    // A worker of the old head on this machine would otherwise join the new head.
    await cluster.killWorker();
    await cluster.startHead();
    await cluster.startWorker();
    const states = await untilEnded(launcher, "moved.2");
    expect(states.at(-1)).toMatchObject({
      state: "lost",
      cause: "node_failed",
      evidence: expect.stringMatching(/session_.*session_/),
    });
    expect(states.slice(0, -1).every(({ state }) => state === "unknown")).toBe(true);
    expect(Buffer.from(await launcher.readLog("moved.2", 0)).toString("utf8")).toBe(before);
  });
});
