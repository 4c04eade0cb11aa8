import {
  closeSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { JobState } from "#server/domain/fleet/job.ts";
import { RayNode } from "#server/domain/fleet/nodes/node.ts";
import { groupFiles } from "#trainer/spec/keptGroup.ts";
import { methods } from "#trainer/spec/method.ts";
import { RunSpec } from "#trainer/spec/run.ts";
import type { Launcher } from "../launcher.ts";
import { enginePaths } from "../ssh/ship.ts";
import { makeRayLauncher } from "../registry.ts";
import { makeGroups, readLastTokens } from "../testing/keptGroups.ts";
import { makeDelivery } from "./delivery.ts";
import { type FakeRay, makeFakeRay, onMachine, pending } from "./testing/fakeRay.ts";

const { aggregation, clipping, advantage, sampling } = methods.grpo;
const method = { aggregation, clipping, advantage, sampling };
const spec = RunSpec.parse({ v: 1, seed: 1, environment: { id: "sokoban" }, method });
const job = { jobId: "run.1", spec, devices: [] };
const line = (n: number, rest: object) => `ARLARENA ${JSON.stringify({ n, ...rest })}\n`;
const bytes = (text: string) => ({ sizeBytes: text.length, base64: Buffer.from(text).toString("base64") });

let home = "";
let ray: FakeRay;
let nowMs = 0;
beforeEach(async () => {
  home = mkdtempSync(join(tmpdir(), "arlarena-fakeray-"));
  ray = await makeFakeRay();
  nowMs = 0;
  const tools = ["tools/t/courier.mjs", "tools/t/adapter.mjs", "trainers/h/trainer.mjs", "trainers/h/programs.mjs"];
  const engine = enginePaths({ os: "linux", cpu: process.arch }).map((path) => `node_modules/${path}`);
  for (const name of [...tools, ...engine]) {
    mkdirSync(join(home, name, ".."), { recursive: true });
    writeFileSync(join(home, name), "");
  }
});
afterEach(async () => {
  await ray.close();
  rmSync(home, { recursive: true });
});

function makeLauncher(change: object = {}): Launcher {
  const bundle = {
    trainer: join(home, "trainers/h/trainer.mjs"),
    agent: join(home, "tools/t/agent.mjs"),
    nodeModules: join(home, "node_modules"),
    engineVersion: "1",
  };
  const slots = { per: "job", count: 4 };
  const node = RayNode.parse({
    kind: "ray",
    name: "ray",
    address: ray.address,
    slots,
    node: "/usr/bin/node",
    ...change,
  });
  return makeRayLauncher({ node, home, bundle, pollMs: 0, now: () => nowMs });
}

async function look(launcher: Launcher): Promise<JobState | undefined> {
  return (await launcher.observe([{ jobId: "run.1", logOffset: 0 }])).states.get("run.1");
}

async function readText(launcher: Launcher): Promise<string> {
  return Buffer.from(await launcher.readLog("run.1", 0)).toString("utf8");
}

describe("a job that is handed to Ray", () => {
  it("is one job, however often it is asked for and by whom", async () => {
    const launcher = makeLauncher();
    await launcher.launch(job);
    await launcher.launch(job);
    await makeLauncher().launch(job);
    expect(ray.submissions).toHaveLength(1);
    expect(ray.submissions[0]).toMatchObject({
      submission_id: "run.1",
      entrypoint_num_cpus: 1,
      runtime_env: { env_vars: { RAY_JOB_STOP_WAIT_TIME_S: "60" } },
    });
    expect(await look(launcher)).toMatchObject({
      state: "queued",
      why: expect.stringContaining("waiting for resources"),
    });
  });

  it("is one job when the answer to its submission is lost", async () => {
    const launcher = makeLauncher();
    ray.fault = "answerLost";
    await expect(launcher.launch(job)).rejects.toThrow("socket hang up");
    expect(await look(launcher)).toEqual({ state: "submitted" });
    ray.fault = "none";
    await makeLauncher().launch(job);
    expect(ray.submissions).toHaveLength(1);
    expect(await look(launcher)).toMatchObject({ state: "queued" });
  });

  it("is refused for good when Ray says 400, and when a job of somebody else's has its name", async () => {
    ray.fault = "refuses";
    const launcher = makeLauncher();
    await launcher.launch(job);
    expect(await look(launcher)).toEqual({
      state: "lost",
      evidence: "Ray refused it: HTTP 400: TypeError: entrypoint_num_cpus must be a number, got <class 'str'>",
      cause: "submit_refused",
    });
    ray.fault = "none";
    ray.jobs.set("run.2", { ...pending, metadata: { arlarena_spec: "other" } });
    await launcher.launch({ ...job, jobId: "run.2" });
    const { states } = await launcher.observe([{ jobId: "run.2", logOffset: 0 }]);
    expect(states.get("run.2")).toMatchObject({ state: "lost", cause: "submit_refused" });
    expect(ray.submissions).toHaveLength(0);
  });

  it("goes with the user's runtime environment, headers and token, and packages beside the user's", async () => {
    const tokenFile = join(home, "token");
    writeFileSync(tokenFile, "secret\n");
    const runtimeEnv = {
      pip: ["numpy"],
      py_modules: ["s3://b/a.zip"],
      env_vars: { A: "b", RAY_JOB_STOP_WAIT_TIME_S: "9" },
    };
    const entrypoint = { numCpus: 2, numGpus: 1, memoryBytes: 1e9, resources: { tpu: 1 } };
    const launcher = makeLauncher({ tokenFile, headers: { "X-Team": "a" }, runtimeEnv, entrypoint });
    await launcher.launch(job);
    expect(ray.submissions[0]).toMatchObject({
      entrypoint_num_cpus: 2,
      entrypoint_num_gpus: 1,
      entrypoint_memory: 1e9,
      entrypoint_resources: { tpu: 1 },
      runtime_env: {
        pip: ["numpy"],
        env_vars: { A: "b", RAY_JOB_STOP_WAIT_TIME_S: "9" },
        py_modules: expect.arrayContaining(["s3://b/a.zip", ...[...ray.packages].map((name) => `gcs://${name}`)]),
      },
    });
    expect(ray.packages.size).toBe(2);
    for (const { headers } of ray.asked) {
      expect(headers).toMatchObject({ authorization: "Bearer secret", "x-team": "a" });
    }
    ray.fault = "forbidden";
    const { contact } = await launcher.observe([]);
    expect(contact).toMatchObject({ isMade: false, why: expect.stringMatching(/refuses us \(HTTP 401\).*tokenFile/) });
  });

  it("is never submitted once it was cancelled before, and is stopped where it may be there", async () => {
    const launcher = makeLauncher();
    await launcher.cancel("run.1");
    await launcher.launch(job);
    expect(ray.submissions).toHaveLength(0);
    expect(await look(launcher)).toEqual({ state: "exited", exitCode: 143 });
    ray.fault = "answerLost";
    const other = { ...job, jobId: "run.2" };
    await expect(launcher.launch(other)).rejects.toThrow();
    ray.fault = "none";
    await launcher.cancel("run.2");
    expect(ray.asked.at(-1)?.path).toBe("/api/jobs/run.2/stop");
  });
});

describe("a job that Ray runs", () => {
  it("is nobody's loss while the head does not answer or answers nonsense, however long", async () => {
    const launcher = makeLauncher();
    await launcher.launch(job);
    ray.fault = "breaks";
    for (nowMs = 0; nowMs < 600_000; nowMs += 100_000) expect(await look(launcher)).toMatchObject({ state: "unknown" });
    await ray.close();
    const observation = await launcher.observe([{ jobId: "run.1", logOffset: 0 }]);
    expect(observation.contact).toMatchObject({ isMade: false, why: expect.stringContaining("ECONNREFUSED") });
    expect(observation.states.get("run.1")).toMatchObject({ state: "unknown" });
  });

  it("is lost when a head that answers has not known it for two minutes, and both lives of the cluster are named", async () => {
    const launcher = makeLauncher();
    await launcher.launch(job);
    expect(await look(launcher)).toMatchObject({ state: "queued" });
    ray.jobs.clear();
    ray.session = "session_2";
    expect(await look(launcher)).toMatchObject({ state: "unknown" });
    nowMs += 119_000;
    ray.fault = "breaks";
    expect(await look(launcher), "an error is no absence").toMatchObject({ state: "unknown" });
    ray.fault = "none";
    expect(await look(launcher)).toMatchObject({ state: "unknown" });
    nowMs += 120_000;
    expect(await look(launcher)).toEqual({
      state: "lost",
      evidence:
        "Ray no longer has a record of the job: it was submitted to the Ray session session_1, but the current one is session_2",
      cause: "node_failed",
    });
  });

  it("has ended as its log said, though Ray has forgotten it since", async () => {
    const launcher = makeLauncher();
    await launcher.launch(job);
    ray.jobs.set("run.1", { ...pending, ...onMachine, status: "RUNNING" });
    ray.logs.set("run.1", line(0, { name: "events.jsonl", fromByte: 0, ...bytes("done\n") }) + line(1, { exit: 0 }));
    expect(await look(launcher)).toMatchObject({ state: "running" });
    ray.jobs.clear();
    expect(await look(launcher)).toMatchObject({ state: "exited", exitCode: 0 });
    expect(await readText(launcher)).toBe("done\n");
  });

  it("keeps its log once, whoever reads it again from its start", async () => {
    const launcher = makeLauncher();
    await launcher.launch(job);
    ray.jobs.set("run.1", { ...pending, ...onMachine, status: "RUNNING" });
    const lines = Array.from({ length: 400 }, (_, n) =>
      line(n, { name: "events.jsonl", fromByte: 3 * n, ...bytes("ab\n") }),
    );
    ray.logs.set("run.1", lines.slice(0, 100).join(""));
    await look(launcher);
    expect(await readText(launcher)).toBe("ab\n".repeat(100));
    ray.logs.set("run.1", `${lines.join("")}ARLARENA {"n":400,"na`);
    await look(makeLauncher());
    expect(await readText(launcher)).toBe("ab\n".repeat(400));
    await look(launcher);
    expect(await readText(launcher)).toBe("ab\n".repeat(400));
  });

  it("has its training groups here while they are written, each read by its range, also after a full disk", async () => {
    const [launcher, there, log] = [makeLauncher(), join(home, "there"), join(home, "log")];
    await launcher.launch(job);
    ray.jobs.set("run.1", { ...pending, ...onMachine, status: "RUNNING" });
    const own = launcher.folderOf("run.1");
    const write = makeGroups(there);
    const fd = openSync(log, "a");
    const delivery = makeDelivery({ folder: there, fd });
    const bring = async (by: Launcher) => {
      delivery.look();
      ray.logs.set("run.1", readFileSync(log, "utf8"));
      expect(await look(by)).toMatchObject({ state: "running" });
      return await readLastTokens(own);
    };
    write(5);
    expect(await bring(launcher)).toEqual(["5 1999"]);
    write(10);
    expect(await bring(launcher)).toEqual(["5 1999", "10 1999"]);
    // A disk that is full cuts the write of a piece, whose line is read again.
    truncateSync(join(own, groupFiles.tokens), statSync(join(own, groupFiles.tokens)).size - 9);
    expect(await readLastTokens(own)).toEqual(["5 1999"]);
    write(15);
    expect(await bring(makeLauncher())).toEqual(["5 1999", "10 1999", "15 1999"]);
    closeSync(fd);
    for (const name of Object.values(groupFiles)) {
      expect(readFileSync(join(own, name)).equals(readFileSync(join(there, name)))).toBe(true);
    }
  });

  it("is not told to have ended before its log was read, or could not be read for two minutes", async () => {
    const launcher = makeLauncher();
    await launcher.launch(job);
    ray.jobs.set("run.1", { ...pending, ...onMachine, status: "SUCCEEDED", driver_exit_code: 0 });
    expect(await look(launcher)).toMatchObject({ state: "unknown", why: expect.stringContaining("cannot be read") });
    nowMs += 121_000;
    expect(await look(launcher)).toMatchObject({ state: "lost", evidence: expect.stringContaining("SUCCEEDED") });
    ray.logs.set("run.1", line(0, { exit: 0 }));
    expect(await look(launcher)).toMatchObject({ state: "exited", exitCode: 0 });
  });
});
