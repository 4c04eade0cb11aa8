import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { homedir, tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { AttemptPaths, ExternalJob } from "#packages/trainers";
import type { JobState } from "#server/domain/fleet/job.ts";
import { SshNode } from "#server/domain/fleet/nodes/node.ts";
import { bundleTools } from "#server/start/bundleTools.ts";
import { packagesFolder } from "#server/engine/wheels/fetchPackages.ts";
import { packagesKey, wheelsOf } from "#trainer/spec/environments/pythonPackages.ts";
import { Elsewhere } from "#trainer/spec/elsewhere.ts";
import { groupFiles } from "#trainer/spec/keptGroup.ts";
import { methods } from "#trainer/spec/method.ts";
import { RunSpec } from "#trainer/spec/run.ts";
import { type Launcher, parseJobId, toJobId } from "../launcher.ts";
import { type FakeTrainer, writeFakeTrainer } from "../testing/fakeTrainer.ts";
import { makeGroups, readLastTokens } from "../testing/keptGroups.ts";
import { quote, sshOptions } from "./connection.ts";
import { enginePaths } from "./ship.ts";
import { makeSshLauncher } from "./ssh.ts";
import { findSshd, makeSshServer, type SshServer } from "./testing/sshServer.ts";

const { aggregation, clipping, advantage, sampling } = methods.grpo;
const method = { aggregation, clipping, advantage, sampling };
const spec = RunSpec.parse({ v: 1, seed: 1, environment: { id: "sokoban" }, method });
const base = { kind: "ssh", name: "far", host: "127.0.0.1", folder: "/far", slots: { per: "core", count: 2 } };

describe("ssh options", () => {
  it("never ask, trust pinned keys alone, lend no agent, and share one connection", () => {
    const node = SshNode.parse({ ...base, port: 2222, hostKeys: ["ssh-ed25519 AAAA"], identityFile: "/my keys/id" });
    const options = sshOptions(node, { controlPath: "/tmp/c", knownHosts: "/tmp/k" }).filter((word) => word !== "-o");
    expect(options).toEqual(
      expect.arrayContaining([
        "BatchMode=yes",
        "StrictHostKeyChecking=yes",
        "UserKnownHostsFile=/tmp/k",
        "HostKeyAlias=far",
        "ForwardAgent=no",
        "ControlMaster=auto",
        "ControlPath=/tmp/c",
        "Port=2222",
        'IdentityFile="/my keys/id"',
        "IdentitiesOnly=yes",
      ]),
    );
  });

  it.each(["plain", "two words", "it's", "$(reboot)", "a\nb", "`x`", '"', "\\", ""])("quote %j as one word", (text) => {
    expect(execFileSync("sh", ["-c", `printf %s ${quote(text)}`], { encoding: "utf8" })).toBe(text);
  });
});

const soak = { tags: "soak" };
const sshd = findSshd();
const why = "missing" in sshd ? ` (skipped: ${sshd.missing})` : "";

describe.skipIf("missing" in sshd)(`the ssh launcher against a real OpenSSH server${why}`, () => {
  let home = "";
  let server: SshServer;
  let agent = "";
  let numRuns = 0;
  let jobId = "";

  beforeAll(async () => {
    if ("missing" in sshd) return;
    home = await mkdtemp(join(tmpdir(), "arlarena-ssh-"));
    server = await makeSshServer(join(home, "server"), sshd);
    agent = await bundleTools(home);
  });
  afterAll(async () => {
    await server.close();
    await rm(home, { recursive: true, force: true });
  });
  beforeEach(() => {
    numRuns += 1;
    jobId = toJobId(`run${numRuns}`, 1);
  });

  async function makeLauncher(behaviour: FakeTrainer, changes: Partial<SshNode> = {}): Promise<Launcher> {
    const content = join(home, "trainer", `${numRuns}`);
    await mkdir(content, { recursive: true });
    const { port, user, identityFile, hostKey } = server;
    const keys = { port, user, identityFile, hostKeys: [hostKey] };
    const node = SshNode.parse({
      ...base,
      ...keys,
      folder: join(home, "far side"),
      node: process.execPath,
      ...changes,
    });
    const fake = await writeFakeTrainer(content, behaviour);
    await writeFile(join(content, "trainer.mjs"), await readFile(fake));
    await writeFile(join(content, "programs.mjs"), "");
    const bundle = {
      trainer: join(content, "trainer.mjs"),
      agent,
      nodeModules: await makeEngine(),
      engineVersion: "0",
    };
    return makeSshLauncher({ node, home: join(home, "near"), bundle, pollMs: 50, resolve });
  }

  // Program of another trainer that prints its measurements.
  const resolve = (_: RunSpec, { folder, home: far }: AttemptPaths): ExternalJob => ({
    name: "any",
    argv: ["sh", "-c", `for i in 1 2 3; do echo "{\\"step\\": $i, \\"loss\\": 0.$i}"; done; echo "${far}" >where`],
    environment: {},
    folder,
    metrics: { kind: "jsonLines" },
    notes: [],
  });

  // A minimal inference engine: only the named files are shipped, whatever their size.
  async function makeEngine(): Promise<string> {
    const folder = join(home, "node_modules");
    const native = join(folder, "onnxruntime-node/bin/napi-v6", process.platform, process.arch);
    await mkdir(native, { recursive: true });
    await mkdir(join(folder, "onnxruntime-node/dist"), { recursive: true });
    await mkdir(join(folder, "onnxruntime-common"), { recursive: true });
    await writeFile(join(folder, "onnxruntime-node/package.json"), "{}");
    for (const path of enginePaths({ os: process.platform, cpu: process.arch }).filter(
      (path) => !path.startsWith("onnx"),
    )) {
      await mkdir(dirname(join(folder, path)), { recursive: true });
      await writeFile(join(folder, path), "");
    }
    await symlink("/dev/null", join(native, "link")).catch(() => undefined);
    return folder;
  }

  const observe = async (launcher: Launcher) => await launcher.observe([{ jobId, logOffset: 0 }]);
  async function waitFor(launcher: Launcher, wanted: JobState["state"]): Promise<JobState | undefined> {
    for (let i = 0; i < 2000; i++) {
      const state = (await observe(launcher)).states.get(jobId);
      if (state?.state === wanted) return state;
      await sleep(20);
    }
    throw new Error(`job is ${JSON.stringify(await observe(launcher))} instead of ${wanted}`);
  }
  const linesOf = async (launcher: Launcher) =>
    new TextDecoder()
      .decode(await launcher.readLog(jobId, 0))
      .trim()
      .split("\n");

  // A signal before the first log line would kill a program that is still loading.
  async function untilItWrites(launcher: Launcher): Promise<void> {
    await waitFor(launcher, "running");
    while ((await launcher.readLog(jobId, 0)).length === 0) await observe(launcher);
  }

  it("ships the trainer once, runs a job there and brings everything it wrote", async () => {
    const launcher = await makeLauncher({ iterations: 30, everyMs: 5 });
    expect(await observe(launcher)).toMatchObject({ contact: { isMade: true } });
    await launcher.launch({ jobId, spec, devices: [] });
    expect(await waitFor(launcher, "exited")).toEqual({ state: "exited", exitCode: 0 });
    expect(await linesOf(launcher)).toHaveLength(32);
    const folder = launcher.folderOf(jobId);
    expect(readFileSync(join(folder, "events.jsonl"))).toEqual(
      readFileSync(join(home, "far side/runs", `run${numRuns}`, "1/events.jsonl")),
    );
    expect(readFileSync(join(folder, "exit"), "utf8").trim(), "the rest is fetched at the end").toBe("0");
  });

  it("evaluates the policy that a run left there, and brings the answer", { tags: "soak" }, async () => {
    const launcher = await makeLauncher({ iterations: 1, everyMs: 1 });
    await launcher.launch({ jobId, spec, devices: [] });
    await waitFor(launcher, "exited");
    const { runId } = parseJobId(jobId);
    const left = join(home, "far side/runs", runId, "1");
    jobId = toJobId(`evaluation${numRuns}`, 1);
    const evaluation = Elsewhere.parse({ environment: { id: "sokoban" } });
    await launcher.launch({ jobId, spec, devices: [], evaluates: { runId, evaluation, iteration: 0 } });
    expect(await waitFor(launcher, "exited")).toEqual({ state: "exited", exitCode: 0 });
    const answer = readFileSync(join(launcher.folderOf(jobId), "stdout.log"), "utf8");
    expect(answer).toBe(`fake ${JSON.stringify({ in: "sokoban", iteration: 0, folders: [left] })}\n`);
  });

  it("asks the trainer there about its machine at first contact, in the environment of the nodes file", async () => {
    const launcher = await makeLauncher({ iterations: 1, everyMs: 1 }, { environment: { ARLARENA_CUDA: "/opt/ort" } });
    for (let i = 0; i < 200; i++) {
      const { contact } = await launcher.observe([]);
      if (!contact.isMade || contact.machines === undefined) continue;
      expect(contact.machines).toMatchObject([{ host: "there", providers: { cpu: null, cuda: "/opt/ort" } }]);
      return;
    }
    throw new Error("no machine was told of");
  });

  it(
    "ships the Python packages that programs of the run import, and says where they lie",
    { tags: "soak" },
    async () => {
      const launcher = await makeLauncher({ iterations: 1, everyMs: 1 });
      const packages = packagesFolder(join(home, "near"));
      await mkdir(packages, { recursive: true });
      for (const { file } of wheelsOf(["sympy"])) await writeFile(join(packages, file), file);
      const environment = { id: "tirMath", packages: ["sympy"] };
      await launcher.launch({ jobId, spec: RunSpec.parse({ ...spec, environment }), devices: [] });
      await waitFor(launcher, "exited");
      const there = join(home, "far side/python", packagesKey(["sympy"]));
      expect(JSON.parse((await linesOf(launcher))[0] ?? "")).toMatchObject({ type: "started", host: there });
      for (const { file } of wheelsOf(["sympy"])) expect(readFileSync(join(there, file), "utf8")).toBe(file);
    },
  );

  it("starts a job once, however often and by whomever it is asked", async () => {
    const behaviour = { iterations: 20, everyMs: 10 };
    const [one, other] = [await makeLauncher(behaviour), await makeLauncher(behaviour)];
    await Promise.all([one, other, one].map((launcher) => launcher.launch({ jobId, spec, devices: [] })));
    await waitFor(one, "exited");
    expect((await linesOf(one)).filter((line) => line.includes('"started"'))).toHaveLength(1);
  });

  it("loses nothing when the server and its connections are killed in between, and judges nobody meanwhile", async () => {
    const gate = join(home, "outages are over");
    const launcher = await makeLauncher({ iterations: 200, everyMs: 10, holds: { 150: gate } });
    await launcher.launch({ jobId, spec, devices: [] });
    await waitFor(launcher, "running");
    for (let i = 0; i < 3; i++) {
      await server.kill();
      const { states, contact } = await observe(launcher);
      expect(contact.isMade).toBe(false);
      expect(states.get(jobId)?.state).toBe("unknown");
      await server.start();
      await observe(launcher);
    }
    await writeFile(gate, "");
    expect(await waitFor(launcher, "exited")).toEqual({ state: "exited", exitCode: 0 });
    expect(await linesOf(launcher)).toHaveLength(202);
  });

  it("brings training groups while they are written: only new bytes, each group by its range", soak, async () => {
    const gate = join(home, "all groups are written");
    const launcher = await makeLauncher({ iterations: 1, everyMs: 1, holds: { 1: gate } });
    await launcher.launch({ jobId, spec, devices: [] });
    await untilItWrites(launcher);
    const write = makeGroups(join(home, "far side/runs", `run${numRuns}`, "1"));
    const tokens = join(launcher.folderOf(jobId), groupFiles.tokens);
    const readNear = async () => (existsSync(tokens) ? readLastTokens(launcher.folderOf(jobId)) : []);
    const untilThere = async (numGroups: number) => {
      for (let i = 0; i < 2000 && (await readNear()).length < numGroups; i++) await observe(launcher);
      return readNear();
    };
    write(5);
    expect(await untilThere(1)).toEqual(["5 1999"]);
    // A changed byte of the copy would not survive if the file were fetched again from its start.
    const copy = readFileSync(tokens);
    await writeFile(tokens, Buffer.concat([Buffer.from("?"), copy.subarray(1)]));
    await server.kill();
    write(10);
    await server.start();
    for (let i = 0; i < 2000 && readFileSync(tokens).length === copy.length; i++) await observe(launcher);
    const grown = readFileSync(tokens);
    expect(String.fromCharCode(grown[0] ?? 0)).toBe("?");
    await writeFile(tokens, Buffer.concat([copy.subarray(0, 1), grown.subarray(1)]));
    expect(await untilThere(2)).toEqual(["5 1999", "10 1999"]);
    await writeFile(gate, "");
    expect(await waitFor(launcher, "exited")).toEqual({ state: "exited", exitCode: 0 });
  });

  it("asks a job to stop, and prevents the start of one that never started", { tags: "soak" }, async () => {
    const launcher = await makeLauncher({ iterations: 100_000, everyMs: 10 });
    await launcher.launch({ jobId, spec, devices: [] });
    await untilItWrites(launcher);
    await launcher.cancel(jobId);
    expect(await waitFor(launcher, "exited")).toEqual({ state: "exited", exitCode: 75 });
    jobId = toJobId("never", 1);
    await launcher.cancel(jobId);
    await launcher.launch({ jobId, spec, devices: [] });
    expect(await waitFor(launcher, "exited")).toEqual({ state: "exited", exitCode: 143 });
  });

  it("runs the program of another trainer there, by what the file here says", async () => {
    const launcher = await makeLauncher({ iterations: 1, everyMs: 1 });
    await launcher.launch({ jobId, spec: RunSpec.parse({ ...spec, trainer: { name: "any" } }), devices: [] });
    expect(await waitFor(launcher, "exited")).toEqual({ state: "exited", exitCode: 0 });
    const types = (await linesOf(launcher)).map((line) => String(Object(JSON.parse(line)).type));
    expect(types.filter((type) => type !== "note")).toEqual(["started", "metrics", "metrics", "metrics", "done"]);
    expect(readFileSync(join(launcher.folderOf(jobId), "where"), "utf8").trim(), "home of the account there").toBe(
      homedir(),
    );
  });

  it("lets a job end by itself when nobody looks after it any more", { tags: "soak" }, async () => {
    const launcher = await makeLauncher({ iterations: 100_000, everyMs: 10 }, { leaseHours: 8 / 3600 });
    await launcher.launch({ jobId, spec, devices: [] });
    await untilItWrites(launcher);
    const exit = join(home, "far side/runs", `run${numRuns}`, "1/exit");
    for (let i = 0; i < 1000 && !existsSync(exit); i++) await sleep(100);
    expect(await waitFor(launcher, "exited")).toEqual({ state: "exited", exitCode: 75 });
    expect(readFileSync(join(launcher.folderOf(jobId), "stderr.log"), "utf8")).toContain("lease ran out");
  });

  it("refuses a host whose key is another one", async () => {
    const other = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIJq4NPRdfcV2TdPvS8r4CzyYzvJzHV0R3kPZ3p2ZzqJH";
    const launcher = await makeLauncher({ iterations: 1, everyMs: 1 }, { name: "other", hostKeys: [other] });
    const { contact } = await launcher.observe([]);
    expect(contact.isMade ? "" : contact.why).toMatch(/key/i);
  });

  it("says what is missing there", async () => {
    const launcher = await makeLauncher({ iterations: 1, everyMs: 1 }, { name: "bare", node: "/no/such/node" });
    const { contact } = await launcher.observe([]);
    expect(contact.isMade ? "" : contact.why).toContain("Node.js 20.19 or newer is needed there");
  });
});
