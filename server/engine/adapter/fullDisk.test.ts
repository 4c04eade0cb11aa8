// @module-tag soak
import { existsSync } from "node:fs";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { ExternalJob } from "#packages/trainers";
import { toJobId } from "#server/engine/launchers/launcher.ts";
import { makeLocalLauncher } from "#server/engine/launchers/local.ts";
import { mountSmallDisk, unmountSmallDisk } from "#trainer/run/testing/smallDisk.ts";
import { exitCodes, RunEvent } from "#trainer/spec/event.ts";
import { methods } from "#trainer/spec/method.ts";
import { RunSpec } from "#trainer/spec/run.ts";

const { aggregation, clipping, advantage, sampling } = methods.grpo;
const method = { aggregation, clipping, advantage, sampling };
const trainer = { name: "printing", options: {} };
const spec = RunSpec.parse({ v: 1, seed: 1, environment: { id: "sokoban" }, method, trainer });
const jobId = toJobId("some-run", 1);

/** Prints one step, and all other steps once a given file exists. Their long output needs disk space too. */
const printing = `
  const { existsSync, writeFileSync } = require("node:fs");
  const folder = process.argv[2];
  const print = (step) => console.log(JSON.stringify({ step, loss: 1 / step }));
  print(1);
  const timer = setInterval(() => {
    if (!existsSync(folder + "/go")) return;
    clearInterval(timer);
    for (let step = 2; step <= 200; step++) print(step);
    for (let i = 0; i < 200; i++) console.log("chatter ".repeat(20));
    writeFileSync(folder + "/printed", "");
  }, 20);
`;

let home = "";
let disk = "";
beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), "arlarena-full-"));
  disk = join(home, "disk");
  await writeFile(join(home, "printing.cjs"), printing);
});
afterEach(async () => {
  if (existsSync(disk)) unmountSmallDisk(disk);
  await rm(home, { recursive: true, force: true });
});

const adapter = fileURLToPath(new URL("main.ts", import.meta.url));
const job: Omit<ExternalJob, "argv"> = {
  name: "printing",
  environment: {},
  folder: tmpdir(),
  metrics: { kind: "jsonLines" },
  notes: [],
};

/** Waits until the program has printed 199 more steps on a full disk: its adapter waits for space or has failed. */
async function fillWhilePrinting() {
  const launcher = makeLocalLauncher({
    runsFolder: disk,
    command: ["/bin/false"],
    external: {
      command: [process.execPath, "--import", import.meta.resolve("tsx"), adapter],
      resolve: () => ({ ...job, argv: [process.execPath, join(home, "printing.cjs"), home] }),
    },
  });
  const folder = launcher.folderOf(jobId);
  const readSteps = async () => {
    const text = await readFile(join(folder, "events.jsonl"), "utf8").catch(() => "");
    const events = text
      .split("\n")
      .filter(Boolean)
      .map((line) => RunEvent.parse(JSON.parse(line)));
    return events.flatMap((event) => (event.type === "metrics" ? [event.iteration] : []));
  };
  const observe = async () => (await launcher.observe([{ jobId, logOffset: 0 }])).states.get(jobId);
  await launcher.launch({ jobId, spec, devices: [] });
  while ((await readSteps()).length === 0) await sleep(20);
  await writeFile(join(disk, "ballast"), new Uint8Array(1 << 20)).catch(() => undefined);
  await writeFile(join(home, "go"), "");
  while (!existsSync(join(home, "printed"))) await sleep(20);
  return { launcher, folder, observe, readSteps };
}

describe("another trainer's program on a disk that fills up", () => {
  it("ends as it would have, with every measurement stored, once there is room", async (test) => {
    if (!mountSmallDisk(disk, 200)) return test.skip("mounting a small file system takes Linux and root");
    const { observe, readSteps, folder } = await fillWhilePrinting();
    // This time is longer than the grace period of printed values.
    await sleep(3000);
    expect(await observe()).toMatchObject({ state: "running" });
    expect((await readSteps()).length).toBeLessThan(200);
    await rm(join(disk, "ballast"));
    while ((await observe())?.state === "running") await sleep(20);
    expect(await readFile(join(folder, "stderr.log"), "utf8")).toBe("");
    expect(await observe()).toEqual({ state: "exited", exitCode: 0 });
    expect(await readSteps()).toEqual(Array.from({ length: 200 }, (_, i) => i + 1));
  });

  it("is ended for want of room when it is asked to make way", async (test) => {
    if (!mountSmallDisk(disk, 200)) return test.skip("mounting a small file system takes Linux and root");
    const { launcher, observe } = await fillWhilePrinting();
    await launcher.cancel(jobId).catch(() => undefined);
    while ((await observe())?.state === "running") await sleep(20);
    expect(await observe()).toEqual({ state: "exited", exitCode: exitCodes.disk_full });
  });
});
