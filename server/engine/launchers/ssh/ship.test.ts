import { cp, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, expect, it } from "vitest";
import { bundleTrainer } from "#server/start/bundleTrainer.ts";
import { root } from "#server/start/root.ts";
import { makeConfined } from "#trainer/confined/confine.ts";
import { toArgument } from "#trainer/programs/packageArgs.ts";
import { noPackages } from "#trainer/python/packages.ts";
import { enginePaths } from "./ship.ts";

const home = await mkdtemp(join(tmpdir(), "arlarena-ship-"));
afterAll(() => rm(home, { recursive: true }));

it("what travels runs programs in Python where nothing else of the studio is", async () => {
  const bundle = await bundleTrainer(join(home, "near"));
  const far = join(home, "far");
  await cp(join(dirname(bundle ?? ""), "programs.mjs"), join(far, "programs.mjs"));
  for (const path of enginePaths({ os: process.platform, cpu: process.arch })) {
    await cp(join(root, "node_modules", path), join(far, "node_modules", path), { recursive: true });
  }
  const limits = { cpuMs: 60_000, wallMs: 300_000, memoryBytes: 2 ** 30 };
  const programs = makeConfined([join(far, "programs.mjs"), toArgument(noPackages)], limits);
  try {
    const request = { kind: "python", source: "from fractions import Fraction\nprint(Fraction(6, 4))", prelude: "" };
    const value = { stdout: "3/2\n", error: "", isTimeout: false };
    expect(await programs.ask(request)).toEqual({ kind: "done", value });
  } finally {
    programs.close();
  }
});
