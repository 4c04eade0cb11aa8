import { mkdtemp, readFile, rm, statfs, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { JobState } from "#server/domain/fleet/job.ts";
import { RunSpec } from "#trainer/spec/run.ts";
import { methods } from "#trainer/spec/method.ts";
import { mountSmallDisk, unmountSmallDisk } from "#trainer/run/testing/smallDisk.ts";
import { type Launcher, maxLogBytes, toJobId } from "./launcher.ts";
import { makeLocalLauncher, readChunk } from "./local.ts";
import { type FakeTrainer, writeFakeTrainer } from "./testing/fakeTrainer.ts";
import { wrapperText } from "./wrapper.ts";

const { aggregation, clipping, advantage, sampling } = methods.grpo;
const method = { aggregation, clipping, advantage, sampling };
const spec = RunSpec.parse({ v: 1, seed: 1, environment: { id: "sokoban" }, method });
const jobId = toJobId("some-run", 1);
let folder = "";

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "arlarena-launcher-"));
});
afterEach(async () => {
  await rm(folder, { recursive: true, force: true });
});

describe("the local launcher", () => {
  it("runs a job in its own folder and reads its exit code", async () => {
    const launcher = await makeLauncher({ iterations: 3, everyMs: 1 });
    expect(await observe(launcher)).toEqual({ state: "submitted" });
    await launcher.launch({ jobId, spec, devices: [] });
    expect(await waitFor(launcher, "exited")).toEqual({ state: "exited", exitCode: 0 });
    const log = new TextDecoder().decode(await launcher.readLog(jobId, 0));
    expect(log.trim().split("\n")).toHaveLength(5);
    expect(JSON.parse(await readFile(join(launcher.folderOf(jobId), "spec.json"), "utf8"))).toEqual(spec);
  });

  it("starts a job once, however often it is asked to", async () => {
    const launcher = await makeLauncher({ iterations: 20, everyMs: 10 });
    await Promise.all([1, 2, 3, 4].map(() => launcher.launch({ jobId, spec, devices: [] })));
    await launcher.launch({ jobId, spec, devices: [] });
    await waitFor(launcher, "exited");
    const log = new TextDecoder().decode(await launcher.readLog(jobId, 0));
    expect(log.match(/"started"/g)).toHaveLength(1);
    expect(log.match(/"metrics"/g)).toHaveLength(20);
  });

  it("refuses another trainer's run if it has no adapter, and does not start the built-in trainer", async () => {
    const launcher = await makeLauncher({ iterations: 3, everyMs: 1 });
    const other = RunSpec.parse({ ...spec, trainer: { name: "trl", options: {} } });
    await expect(launcher.launch({ jobId, spec: other, devices: [] })).rejects.toThrow(
      "trainer trl: this launcher has no adapter for other trainers",
    );
    expect(await observe(launcher)).toEqual({ state: "submitted" });
  });

  it("asks the trainer about this machine at the first look; one that cannot say has a problem, and no abilities", async () => {
    const asks = async (command: readonly string[]) => {
      const launcher = makeLocalLauncher({ runsFolder: join(folder, "runs"), command, looks: true });
      for (;;) {
        const { contact } = await launcher.observe([]);
        if (contact.isMade && contact.machines) return contact.machines;
        await sleep(20);
      }
    };
    const trainer = await writeFakeTrainer(folder, { iterations: 1, everyMs: 1 });
    expect(await asks([process.execPath, trainer])).toMatchObject([{ host: "there", providers: { cpu: null } }]);
    await writeFile(join(folder, "broken.mjs"), 'throw new Error("libstdc++.so.6: version not found")');
    const problem = "the trainer could not probe the machine: Error: libstdc++.so.6: version not found";
    expect(await asks([process.execPath, join(folder, "broken.mjs")])).toMatchObject([{ providers: {}, problem }]);
  });

  it("tells a later attempt where the earlier ones left their checkpoints, the newest first", async () => {
    const runs = join(folder, "runs", "some-run");
    const launcher = makeLocalLauncher({ runsFolder: join(folder, "runs"), command: ["echo"] });
    const third = toJobId("some-run", 3);
    await launcher.launch({ jobId: third, spec, devices: [] });
    while ((await launcher.observe([{ jobId: third, logOffset: 0 }])).states.get(third)?.state !== "exited")
      await sleep(20);
    const told = await readFile(join(launcher.folderOf(third), "stdout.log"), "utf8");
    expect(told.trim()).toBe(`${runs}/3/spec.json ${runs}/3 --resume-from ${runs}/2 --resume-from ${runs}/1`);
  });

  it("adopts a job that another launcher started", async () => {
    const launcher = await makeLauncher({ iterations: 100_000, everyMs: 10 });
    await launcher.launch({ jobId, spec, devices: [] });
    await trainerPid(launcher);
    const state = await waitFor(launcher, "running");
    const successor = makeLocalLauncher({ runsFolder: join(folder, "runs"), command: ["false"], killAfterMs: 0 });
    expect(await observe(successor)).toEqual(state);
    await successor.cancel(jobId);
    expect(await waitFor(successor, "exited")).toEqual({ state: "exited", exitCode: 75 });
  });

  it("reports the exit code of a trainer that was killed", async () => {
    const launcher = await makeLauncher({ iterations: 100_000, everyMs: 10 });
    await launcher.launch({ jobId, spec, devices: [] });
    await waitFor(launcher, "running");
    process.kill(await trainerPid(launcher), "SIGKILL");
    expect(await waitFor(launcher, "exited")).toEqual({ state: "exited", exitCode: 137 });
  });

  it("is lost when everything of it was killed, and not before", async () => {
    const launcher = await makeLauncher({ iterations: 100_000, everyMs: 10 });
    await launcher.launch({ jobId, spec, devices: [] });
    const running = await waitFor(launcher, "running");
    const trainer = await trainerPid(launcher);
    if (running.state === "running" && running.pid !== undefined) process.kill(running.pid, "SIGKILL");
    await sleep(100);
    expect(await observe(launcher), "the trainer lives on without its wrapper").toEqual(running);
    process.kill(trainer, "SIGKILL");
    expect(await waitFor(launcher, "lost")).toMatchObject({ evidence: expect.stringContaining("left no exit code") });
  });

  it("is killed when it does not stop on request", async () => {
    const launcher = await makeLauncher({ iterations: 100_000, everyMs: 10, isDeaf: true }, 600_000);
    await launcher.launch({ jobId, spec, devices: [] });
    await trainerPid(launcher);
    await launcher.cancel(jobId);
    await launcher.cancel(jobId);
    await sleep(150);
    expect(await observe(launcher), "patience is not over").toMatchObject({ state: "running" });
    // The kill timeout counts from the first request, also for a later call.
    const impatient = makeLocalLauncher({ runsFolder: join(folder, "runs"), command: ["false"], killAfterMs: 100 });
    await impatient.cancel(jobId);
    await waitFor(launcher, "lost");
  });

  it("never starts a job that was cancelled before it started", async () => {
    const launcher = await makeLauncher({ iterations: 3, everyMs: 1 });
    await launcher.cancel(jobId);
    expect(await observe(launcher)).toEqual({ state: "exited", exitCode: 143 });
    await launcher.launch({ jobId, spec, devices: [] });
    await sleep(200);
    expect(await launcher.readLog(jobId, 0)).toHaveLength(0);
  });

  it("lets no job id out of its folder", async () => {
    const launcher = await makeLauncher({ iterations: 1, everyMs: 1 });
    for (const evil of ["../../etc.1", "a/b.1", "a.1/..", "a", ".1", "a.0"]) {
      expect(() => launcher.folderOf(evil), evil).toThrow("is no job id");
    }
  });

  it("keeps the trainer away from our secrets", async () => {
    process.env["DATABASE_URL"] = "postgresql://secret";
    const launcher = makeLocalLauncher({ runsFolder: join(folder, "runs"), command: ["env"] });
    await launcher.launch({ jobId, spec, devices: [] });
    await waitFor(launcher, "exited");
    delete process.env["DATABASE_URL"];
    const output = await readFile(join(launcher.folderOf(jobId), "stderr.log"), "utf8");
    expect(output, "env takes our paths for a command").toContain("spec.json");
    expect(await readFile(join(launcher.folderOf(jobId), "stdout.log"), "utf8")).not.toContain("secret");
  });

  it("tells the trainer where models come from, and by whose account", async () => {
    vi.stubEnv("HF_TOKEN", "hf_ours");
    vi.stubEnv("HF_HUB_CACHE", "/models/hub");
    const launcher = makeLocalLauncher({ runsFolder: join(folder, "runs"), command: ["/bin/sh", "-c", "env"] });
    await launcher.launch({ jobId, spec, devices: [] });
    await waitFor(launcher, "exited");
    vi.unstubAllEnvs();
    const seen = (await readFile(join(launcher.folderOf(jobId), "stdout.log"), "utf8")).split("\n");
    expect(seen).toEqual(expect.arrayContaining(["HF_TOKEN=hf_ours", "HF_HUB_CACHE=/models/hub"]));
  });

  it("says how much room the disk has that its runs lie on", async () => {
    const { contact } = await makeLocalLauncher({ runsFolder: join(folder, "not there yet"), command: [] }).observe([]);
    const { blocks, bsize } = await statfs(folder);
    expect(contact).toMatchObject({ isMade: true, disk: { totalBytes: blocks * bsize } });
  });

  it("keeps the exit code of a job that filled the disk, and finds no job in one that found no room to begin", async (test) => {
    const disk = join(folder, "disk");
    if (!mountSmallDisk(disk, 256)) return test.skip("mounting a small file system takes Linux and root");
    try {
      const fill = 'cat /dev/zero >"$2/ballast"; exit 74';
      const launcher = makeLocalLauncher({ runsFolder: disk, command: ["sh", "-c", fill, "sh"] });
      await launcher.launch({ jobId, spec, devices: [] });
      expect(await waitFor(launcher, "exited")).toEqual({ state: "exited", exitCode: 74 });
      const second = toJobId("some-run", 2);
      await expect(launcher.launch({ jobId: second, spec, devices: [] })).rejects.toThrow("ENOSPC");
      expect(await observe(launcher, second)).toEqual({ state: "submitted" });
      await rm(join(launcher.folderOf(jobId), "ballast"));
      await launcher.launch({ jobId: second, spec, devices: [] });
      await waitFor(launcher, "exited", second);
    } finally {
      unmountSmallDisk(disk);
    }
  });

  it("wraps jobs in this script", async () => {
    await expect(wrapperText).toMatchFileSnapshot("golden/wrapper.sh");
  });
});

describe("a piece of a log", () => {
  it("takes no more memory than it has bytes, and is bounded", async () => {
    const path = join(folder, "events.jsonl");
    await writeFile(path, "one\ntwo\n");
    const piece = await readChunk(path, 4);
    expect(new TextDecoder().decode(piece)).toBe("two\n");
    expect(piece.buffer.byteLength).toBe(4);
    for (const fromByte of [8, 100]) expect(await readChunk(path, fromByte)).toHaveLength(0);
    expect(await readChunk(join(folder, "none"), 0)).toHaveLength(0);
    await writeFile(path, Buffer.alloc(maxLogBytes + 10));
    expect(await readChunk(path, 0)).toHaveLength(maxLogBytes);
  });
});

async function makeLauncher(behaviour: FakeTrainer, killAfterMs = 10_000): Promise<Launcher> {
  const command = [process.execPath, await writeFakeTrainer(folder, behaviour)];
  return makeLocalLauncher({ runsFolder: join(folder, "runs"), command, killAfterMs });
}

async function observe(launcher: Launcher, id = jobId): Promise<JobState | undefined> {
  return (await launcher.observe([{ jobId: id, logOffset: 0 }])).states.get(id);
}

async function waitFor(launcher: Launcher, state: JobState["state"], id = jobId): Promise<JobState> {
  for (let i = 0; i < 2500; i++) {
    const job = await observe(launcher, id);
    if (job?.state === state) return job;
    await sleep(20);
  }
  throw new Error(`job is ${JSON.stringify(await observe(launcher, id))} instead of ${state}`);
}

// Reads the process id from the first line that the trainer logs.
async function trainerPid(launcher: Launcher): Promise<number> {
  for (let i = 0; i < 2500; i++) {
    const match = /"pid":(\d+)/.exec(new TextDecoder().decode(await launcher.readLog(jobId, 0)));
    if (match?.[1] !== undefined) return Number(match[1]);
    await sleep(20);
  }
  throw new Error("no started line");
}
