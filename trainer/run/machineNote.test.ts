// @module-tag soak
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, it } from "vitest";
import { exitCodes, RunEvent } from "#trainer/spec/event.ts";
import { Machine } from "#trainer/spec/machine.ts";
import { methodOf } from "#trainer/spec/method.ts";
import { tinySpec } from "./testing/tinySpec.ts";

const folder = mkdtempSync(join(tmpdir(), "arlarena-note-"));
afterAll(() => rmSync(folder, { recursive: true }));
const root = join(import.meta.dirname, "../..");

it("a run whose provider does not work ends with the reason, and leaves what its machine can do", () => {
  const specPath = join(folder, "spec.json");
  writeFileSync(specPath, JSON.stringify(tinySpec(methodOf("grpo"), 1, { execution: { provider: "cuda" } })));
  const out = join(folder, "out");
  const cuda = join(folder, "no wheel");
  const command = ["--import", "tsx", join(root, "trainer/run/main.ts"), specPath, out];
  const env = { ...process.env, ARLARENA_CUDA: cuda, ARLARENA_LOOKS: "1" };
  expect(spawnSync(process.execPath, command, { cwd: root, env }).status).toBe(exitCodes.failed);
  const why = `ARLARENA_CUDA: ENOENT: no such file or directory, scandir '${cuda}'`;
  const machine = Machine.parse(JSON.parse(readFileSync(join(out, "machine.json"), "utf8")));
  expect(machine.providers).toMatchObject({ cpu: null, cuda: why });
  const last = readFileSync(join(out, "events.jsonl"), "utf8").trim().split("\n").at(-1) ?? "";
  const reason = `execution provider "cuda" does not work here: ${why}`;
  expect(RunEvent.parse(JSON.parse(last))).toMatchObject({ type: "done", exit: "failed", reason });
});
