import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { resolveTemplate, TrainerTemplate } from "#packages/trainers";
import { methodOf, type MethodName } from "#trainer/spec/method.ts";
import { RunSpec } from "#trainer/spec/run.ts";
import { checkRelease } from "./installedRelease.ts";

let folder = "";
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "arlarena-release-"));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

/** Compares a template's command for a method with the release that a Python reports. */
async function check(method: MethodName, { written, installed }: { written?: string; installed: string }) {
  const python = join(folder, `python-${installed}`);
  const says = installed === "" ? "exit 1" : `echo 'a warning'; echo '${installed}'`;
  await writeFile(python, `#!/bin/sh\n${says}\n`, { mode: 0o755 });
  const version = written === undefined ? {} : { version: written };
  const verl = TrainerTemplate.parse({ kind: "verl", flavour: "verl", python, models: { default: "m" }, ...version });
  const spec = RunSpec.parse({
    v: 1,
    seed: 1,
    trainer: { name: "verl", options: {} },
    environment: { id: "custom", title: "GSM8K", agentLoop: "tool_agent" },
    method: methodOf(method),
    rollout: { numGroups: 64, groupSize: 8, maxResponseTokens: 512 },
    update: { minibatchRows: 128, oldLogProbs: "trainer", klCoef: 0 },
    optimizer: { learningRate: 1e-6 },
  });
  const paths = { run: "r", attempt: 1, home: folder, runFolder: folder, folder };
  return await checkRelease(resolveTemplate({ verl }, spec, paths), process.env);
}

it.each([
  ["grpo", "0.9.1", "0.9.0"],
  ["cispo", "0.9.1", "0.8.0"],
  ["luspo", "0.9.1", "0.9.1"],
] as const)("%s: a command for %s runs on %s, which has the same one", async (method, written, installed) => {
  expect(await check(method, { written, installed })).toEqual({});
});

it("refuses to train LUSPO on a release that would train GSPO", async () => {
  const { problem } = await check("luspo", { written: "0.9.1", installed: "0.9.0" });
  expect(problem).toContain("this machine has verl 0.9.0, and the command is for verl 0.9.1");
});

it("refuses a release with another command if the template names none", async () => {
  expect((await check("dapoGrpo", { installed: "0.9.0" })).problem).toContain("nodes check");
});

it.each(["0.1", "0.2.0.post2", "0.4.1", "0.5.0", "0.6.0", "0.6.1"])(
  "refuses verl %s, whose settings differ",
  async (installed) => {
    const problem = `on this machine, verl ${installed} is older than 0.7.0, the oldest release whose settings the studio knows: install 0.9.1`;
    expect(await check("grpo", { written: "0.9.1", installed })).toEqual({ problem });
  },
);

it("notes a release that was not tested, and one that cannot be read", async () => {
  expect((await check("grpo", { written: "0.9.1", installed: "0.10.0" })).note).toContain(
    "0.10.0, which was not tested",
  );
  expect((await check("grpo", { written: "0.9.1", installed: "" })).note).toContain("could not be read");
  expect(await check("grpo", { written: "0.9.1.dev2", installed: "0.9.1.dev2" })).toEqual({});
});
