import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, expect, it } from "vitest";
import { methods } from "#trainer/spec/method.ts";
import { RunSpec } from "#trainer/spec/run.ts";
import { toJobId } from "./launcher.ts";
import { makeLocalLauncher } from "./local.ts";
import { withMachineNotes } from "./registry.ts";

const folder = await mkdtemp(join(tmpdir(), "arlarena-notes-"));
afterAll(() => rm(folder, { recursive: true }));

const { aggregation, clipping, advantage, sampling } = methods.grpo;
const method = { aggregation, clipping, advantage, sampling };
const spec = RunSpec.parse({ v: 1, seed: 1, environment: { id: "sokoban" }, method });

it.each([
  ['{"host":"node7","atMs":1,"providers":{"cpu":null},"isComplete":true,"gpus":[],"problem":null}', ["node7"]],
  ['{"host":"node7"', []],
])("what a job's trainer found out about its machine is told once: %s", async (text, hosts) => {
  // A minimal trainer, whose output folder is its second argument.
  const command = ["sh", "-c", `printf '%s' '${text}' >"$2/machine.json"`, "trainer"];
  const launcher = withMachineNotes(makeLocalLauncher({ runsFolder: join(folder, String(hosts.length)), command }));
  const jobId = toJobId("a", 1);
  await launcher.launch({ jobId, spec, devices: [] });
  const told: string[] = [];
  for (let numEnded = 0; numEnded < 3; await sleep(20)) {
    const { states, contact } = await launcher.observe([{ jobId, logOffset: 0 }]);
    if (contact.isMade) told.push(...(contact.machines ?? []).map(({ host }) => host));
    if (states.get(jobId)?.state === "exited") numEnded += 1;
  }
  expect(told).toEqual(hosts);
});
