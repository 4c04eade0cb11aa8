import { readFileSync } from "node:fs";
import { chmod, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";
import type { ExternalJob } from "#packages/trainers";
import type { JobState } from "#server/domain/fleet/job.ts";
import { SlurmNode } from "#server/domain/fleet/nodes/node.ts";
import { bundleTools } from "#server/start/bundleTools.ts";
import { methods } from "#trainer/spec/method.ts";
import { RunSpec } from "#trainer/spec/run.ts";
import type { Launcher } from "../launcher.ts";
import { makeSlurmLauncher } from "./slurm.ts";
import { findSlurm, makeSlurmCluster, type SlurmCluster } from "./testing/realSlurm.ts";
import { makeAskSlurm } from "./cluster.ts";

/** Python with `ray[default]`. */
const python = process.env["ARLARENA_RAY_PYTHON"] ?? "";
const slurm = findSlurm();
const why =
  "missing" in slurm
    ? `skipped: ${slurm.missing}`
    : "skipped unless ARLARENA_RAY_PYTHON names a Python that has ray[default]";

/** Asks each machine of the Ray cluster for its name in the cluster. */
const program = `
import json, ray
ray.init(log_to_driver=False)
from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy as On
@ray.remote(num_cpus=0)
def name(): return ray.get_runtime_context().get_node_id()
nodes = [node["NodeID"] for node in ray.nodes() if node["Alive"]]
answers = ray.get([name.options(scheduling_strategy=On(node, soft=False)).remote() for node in nodes])
for step in range(1, 4):
    print(json.dumps({"step": step, "machines": len(set(answers)), "cpus": ray.cluster_resources()["CPU"]}), flush=True)
`;
const { aggregation, clipping, advantage, sampling } = methods.grpo;
const method = { aggregation, clipping, advantage, sampling };
const trainer = { name: "theirs", options: {} };
const spec = RunSpec.parse({ v: 1, seed: 1, environment: { id: "sokoban" }, method, trainer });

describe.skipIf("missing" in slurm || python === "")(`a Slurm job of two machines (${why})`, () => {
  let home = "";
  let cluster: SlurmCluster;
  let agent = "";
  beforeAll(async () => {
    if ("missing" in slurm) return;
    home = await mkdtemp(join(tmpdir(), "arlarena-slurmray-"));
    await chmod(home, 0o755);
    await writeFile(join(home, "program.py"), program);
    [cluster, agent] = await Promise.all([makeSlurmCluster(join(home, "slurm"), slurm), bundleTools(home)]);
  });
  afterAll(async () => {
    await cluster.close();
    await rm(home, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 });
  });

  function makeLauncher(ray: object): Launcher {
    const nodeModules = fileURLToPath(new URL("../../../../node_modules", import.meta.url));
    const bundle = { trainer: join(home, "trainers/h/trainer.mjs"), agent, nodeModules, engineVersion: "1" };
    const slots = { per: "job", count: 4 };
    const there = { folder: join(home, "shared"), node: process.execPath, nodes: 2, ray };
    const node = SlurmNode.parse({ kind: "slurm", name: "cluster", slots, ...there });
    const resolve = (): ExternalJob => ({
      name: "theirs",
      argv: [python, join(home, "program.py")],
      environment: {},
      folder: home,
      metrics: { kind: "jsonLines" },
      notes: [],
    });
    const ask = makeAskSlurm({ ...process.env, ...cluster.environment });
    return makeSlurmLauncher({ node, home, bundle, resolve, ask, pollMs: 500 });
  }

  async function untilEnded(launcher: Launcher, jobId: string): Promise<JobState> {
    for (;;) {
      const state = (await launcher.observe([{ jobId, logOffset: 0 }])).states.get(jobId);
      if (state?.state === "exited" || state?.state === "lost") return state;
    }
  }

  it("is a Ray cluster of both, that ends with it", async () => {
    const launcher = makeLauncher({ program: join(dirname(python), "ray") });
    await launcher.launch({ jobId: "both.1", spec, devices: [] });
    const end = await untilEnded(launcher, "both.1");
    const output = (name: string) => readFileSync(join(launcher.folderOf("both.1"), name), "utf8");
    expect(end, `${output("stderr.log")}${output("ray.log")}`).toMatchObject({ state: "exited", exitCode: 0 });
    const Measured = z.object({ type: z.literal("metrics"), values: z.record(z.string(), z.number()) });
    const lines = output("events.jsonl").trim().split("\n");
    const measured = lines
      .map((line) => Measured.safeParse(JSON.parse(line)).data?.values)
      .filter((values) => values !== undefined);
    expect(measured).toEqual(Array.from({ length: 3 }, () => ({ machines: 2, cpus: 2 })));
  });

  it("is the machines' failure where they do not join", async () => {
    const launcher = makeLauncher({ program: "/bin/false", joinSeconds: 10 });
    await launcher.launch({ jobId: "none.1", spec, devices: [] });
    expect(await untilEnded(launcher, "none.1")).toMatchObject({ state: "exited", exitCode: 1, cause: "node_failed" });
    expect(await readFile(join(launcher.folderOf("none.1"), "stderr.log"), "utf8")).toBe(
      "Ray: 0 of 2 machines joined within 10 s; see ray.log\n",
    );
  });
});
