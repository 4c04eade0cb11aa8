import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, it } from "vitest";
import { exitCodes } from "#trainer/spec/event.ts";
import { bundleTrainer } from "./bundleTrainer.ts";

const home = mkdtempSync(join(tmpdir(), "arlarena-bundle-"));
afterAll(() => rmSync(home, { recursive: true }));

// A name that the bundle declares twice would prevent every run from starting.
it("the trainer starts as one file", async () => {
  const bundle = await bundleTrainer(home);
  if (bundle === undefined) throw new Error("there is no trainer");
  const { status, stderr } = spawnSync(process.execPath, [bundle], { encoding: "utf8" });
  expect(stderr).toMatch(/^usage: trainer /);
  expect(status).toBe(exitCodes.usage);
});
