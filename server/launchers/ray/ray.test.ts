import { readFileSync } from "node:fs";
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { JobState } from "#server/domain/job.ts";
import { RayNode } from "#server/domain/nodes/node.ts";
import { bundleTools } from "#server/start/bundleTools.ts";
import { methods } from "#trainer/spec/method.ts";
import { RunSpec } from "#trainer/spec/run.ts";
import type { Launcher } from "../launcher.ts";
import { type FakeTrainer, writeFakeTrainer } from "../testing/fakeTrainer.ts";
import { makeRayLauncher } from "./ray.ts";
import { makeRayCluster, type RayCluster } from "./testing/realRay.ts";

/** A Python that has `ray[default]`. */
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
  }, 180_000);
  afterAll(async () => {
    await cluster.close();
    await rm(home, { recursive: true, force: true });
  }, 60_000);

  let numTrainers = 0;
  async function makeLauncher(behaviour: FakeTrainer): Promise<Launcher> {
    const folder = join(home, "trainers", String(numTrainers++));
    await mkdir(folder, { recursive: true });
    const trainer = join(folder, "trainer.mjs");
    await writeFile(trainer, await readFile(await writeFakeTrainer(folder, behaviour)));
    await writeFile(join(folder, "programs.mjs"), "");
    const nodeModules = fileURLToPath(new URL("../../../node_modules", import.meta.url));
    const bundle = { trainer, agent, nodeModules, engineVersion: "1" };
    const slots = { per: "job", count: 10 };
    const there = { address: cluster.address, folder: join(home, "there"), slots };
    const node = RayNode.parse({ kind: "ray", name: "cluster", ...there, node: process.execPath });
    return makeRayLauncher({ node, home, bundle, pollMs: 200 });
  }

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
  }, 60_000);
});
