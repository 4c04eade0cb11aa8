import { chmod, mkdir, mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, it, vi } from "vitest";
import { askForChecks, readAskedChecks, readChecks, readVersions } from "#server/db/fleet/nodeChecks.ts";
import { saveNodes } from "#server/db/fleet/nodes.ts";
import { makeTestDatabase } from "#server/db/testing/testDatabase.ts";
import { TrainersFile } from "#packages/trainers";
import { fillVersions, judgeProbe, readProbe } from "#server/domain/fleet/nodes/check.ts";
import { Node } from "#server/domain/fleet/nodes/node.ts";
import { makeLauncher } from "#server/engine/launchers/registry.ts";
import { checkNodes, checkProgram, type NodeVersions } from "./checkNodes.ts";

const database = await makeTestDatabase();
let home = "";
const stop = new AbortController();
let ended: Promise<void> = Promise.resolve();
beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), "arlarena-check-"));
});
afterAll(async () => {
  stop.abort();
  await ended;
  await database.close();
  await rm(home, { recursive: true, force: true });
});

const { trainers } = TrainersFile.parse({
  trainers: {
    verl: { kind: "verl", flavour: "verl" },
    pinned: { kind: "verl", flavour: "verl", version: "0.7.1" },
    trl: { kind: "trl", script: "grpo.py", python: "accelerate launch" },
  },
});

/** Makes this machine look like one with two GPUs and verl, as far as the check can see. */
async function makeMachine(): Promise<string[]> {
  const [programs, modules] = [join(home, "programs"), join(home, "modules")];
  await mkdir(join(modules, "verl-0.9.1.dist-info"), { recursive: true });
  await writeFile(
    join(modules, "verl-0.9.1.dist-info/METADATA"),
    "Metadata-Version: 2.1\nName: verl\nVersion: 0.9.1\n",
  );
  await mkdir(programs);
  const gpu = "NVIDIA H100 80GB HBM3, 81559 MiB, 570.86.15";
  const text = `#!/bin/sh\n[ $# -gt 0 ] && { echo "${gpu}"; echo "${gpu}"; exit 0; }\necho "| Driver Version: 570.86.15   CUDA Version: 12.8 |"\n`;
  await writeFile(join(programs, "nvidia-smi"), text);
  await chmod(join(programs, "nvidia-smi"), 0o755);
  return [`export PATH=${programs}:$PATH`, `export PYTHONPATH=${modules} HF_HOME=${home}/hub`];
}

it("runs a small job through the node's launcher and says for each thing what it found and what to do", async () => {
  const setup = await makeMachine();
  const node = Node.parse({ kind: "local", name: "here", setup, slots: { per: "gpu", devices: [0, 1, 2] } });
  const adapter = fileURLToPath(new URL("../adapter/main.ts", import.meta.url));
  const launcher = makeLauncher(node, {
    home,
    trainer: { command: [process.execPath, "-e", ""], environment: {} },
    external: {
      command: [process.execPath, "--import", import.meta.resolve("tsx"), adapter],
      resolve: (_, paths) => checkProgram(trainers, paths),
    },
    readSecrets: () => ({}),
    bundle: undefined,
  });
  const news = { lastContactAtMs: null, problem: null, gpus: null, disk: null };
  await saveNodes(database, [{ node, ...news }]);
  const versions: NodeVersions = new Map();
  const checks = { templates: () => trainers, versions, runsFolder: join(home, "runs") };
  ended = checkNodes({ ...checks, database, nodes: [{ node, launcher }] }, stop.signal);
  await expect(askForChecks(database, "elsewhere")).rejects.toThrow("there is no node elsewhere");
  expect(await askForChecks(database)).toEqual(["here"]);
  while ((await readAskedChecks(database)).length > 0) await new Promise((done) => setTimeout(done, 200));
  const check = (await readChecks(database)).get("here");
  const found = new Map(check?.items.map((item) => [item.name, item]));
  expect(found.get("GPUs")).toEqual({
    name: "GPUs",
    found: "2 × NVIDIA H100 80GB HBM3, 81559 MiB, 570.86.15",
    todo: "slots.devices names 2, but the machine has GPUs 0 to 1",
  });
  expect(found.get("CUDA")).toMatchObject({ found: "driver for CUDA 12.8", todo: null });
  expect(found.get("Python (python3)")).toMatchObject({ found: expect.stringMatching(/^3\.\d+/), todo: null });
  expect(found.get("Trainer verl")).toMatchObject({ found: expect.stringContaining("verl 0.9.1"), todo: null });
  expect(found.get("Trainer trl")?.todo).toContain("pip install trl there");
  expect(found.get("Hub cache")).toMatchObject({
    found: expect.stringContaining(`${home}/hub/hub, 0 models`),
    todo: null,
  });
  expect(found.get("File transfer")).toMatchObject({ todo: null });
  expect(await readdir(join(home, "runs")), "nothing of a check stays").toEqual([]);
  // A template without a version gets the version that is installed on the node.
  expect(versions.get("here")?.["python3"]).toMatchObject({ verl: "0.9.1" });
  const filled = fillVersions(trainers, await readVersions(database));
  expect(filled["verl"]).toMatchObject({ version: "0.9.1" });
  expect(filled["pinned"]).toMatchObject({ version: "0.7.1" });
  const two = [{ python3: { verl: "0.9.1" } }, { python3: { verl: "0.8.0" } }];
  expect(fillVersions(trainers, two)["verl"]).not.toHaveProperty("version");
});

it("waits while the database is out, and then reads the versions that were found before", async () => {
  const query = vi.spyOn(database.pool, "query");
  for (let i = 0; i < 4; i++) query.mockRejectedValueOnce(new Error("Connection terminated due to connection timeout"));
  const versions: NodeVersions = new Map();
  const checks = { templates: () => trainers, versions, runsFolder: join(home, "runs"), lookEveryMs: 5 };
  const toStop = new AbortController();
  const checking = checkNodes({ ...checks, database, nodes: [] }, toStop.signal);
  await expect.poll(() => versions.get("here")?.["python3"]).toBeDefined();
  expect(query.mock.calls.length).toBeGreaterThan(4);
  query.mockRestore();
  toStop.abort();
  await checking;
});

it("says why where the job does not come to its end", async () => {
  const node = Node.parse({
    kind: "local",
    name: "broken",
    setup: ["module load nothing-like-that"],
    slots: { per: "core", count: 1 },
  });
  const adapter = fileURLToPath(new URL("../adapter/main.ts", import.meta.url));
  const launcher = makeLauncher(node, {
    home,
    trainer: { command: [process.execPath, "-e", ""], environment: {} },
    external: { command: [process.execPath, adapter], resolve: (_, paths) => checkProgram(trainers, paths) },
    readSecrets: () => ({}),
    bundle: undefined,
  });
  const { checkNode } = await import("./checkNodes.ts");
  const check = await checkNode({ node, launcher }, { templates: () => trainers, runsFolder: join(home, "runs") });
  expect(check.items).toEqual([
    {
      name: "Job",
      found: "the check did not complete",
      todo: expect.stringMatching(/setup failed: module load nothing-like-that/),
    },
  ]);
});

it("says that a release of verl before 0.7.0 must be replaced", () => {
  const probe = readProbe("CHECK version:0\tverl 0.6.1\n");
  const templates = { verl: { kind: "verl", flavour: "verl" }, fork: { kind: "verl", flavour: "verlAgent" } };
  const { trainers: both } = TrainersFile.parse({ trainers: templates });
  const node = Node.parse({ kind: "local", name: "here", slots: { per: "gpu", devices: [0] } });
  const { items } = judgeProbe({ node, templates: both, probe, receivedBytes: 0, atMs: 0 });
  expect(items.filter(({ name }) => name.startsWith("Trainer")).map(({ todo }) => todo)).toEqual([
    "verl 0.6.1 is older than 0.7.0, the oldest release whose settings the studio knows: install 0.9.1",
    null,
  ]);
});
