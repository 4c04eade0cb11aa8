// @module-tag soak
import { cp, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, expect, it } from "vitest";
import { SshNode } from "#server/domain/fleet/nodes/node.ts";
import { bundleTrainer } from "#server/start/bundleTrainer.ts";
import { root } from "#server/start/root.ts";
import { makeConfined } from "#trainer/confined/confine.ts";
import { toArgument } from "#trainer/programs/packageArgs.ts";
import { noPackages } from "#trainer/python/packages.ts";
import type { Connection } from "./connection.ts";
import { enginePaths, install, shipPackages } from "./ship.ts";

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

it("says what cannot be shipped to a full disk: the trainer's packages, the trainer, or wheels", async () => {
  const node = SshNode.parse({ kind: "ssh", name: "lab", host: "lab", folder: "/a", slots: { per: "core", count: 1 } });
  const bundle = { trainer: "/t/1/trainer.mjs", agent: "/t/2/agent.mjs", nodeModules: "/m", engineVersion: "1" };
  /** Returns a connection to a machine whose disk is full; it answers `about` to questions. */
  const connect = (about: string): Connection => ({
    run: (_, { input } = {}) => {
      const [exitCode, stderr] = input === undefined ? [0, ""] : [2, "tar: write error: No space left on device"];
      return Promise.resolve({ is: "done", exitCode, stdout: Buffer.from(about), stderr });
    },
    close: () => Promise.resolve(),
  });
  const about = "home=/root\nsystem=Linux\nmachine=x86_64\nnode=v22.0.0\n";
  const full = "tar: write error: No space left on device (exit code 2)";
  await expect(install(connect(about), node, bundle)).rejects.toThrow(`cannot ship the trainer's packages: ${full}`);
  // The engine is there already.
  await expect(install(connect(`${about}yes`), node, bundle)).rejects.toThrow(`cannot ship the trainer: ${full}`);
  const wheels = { from: "/w", packages: ["sympy"] } as const;
  await expect(shipPackages(connect(""), node, wheels)).rejects.toThrow(
    `cannot ship the wheels of Python packages: ${full}`,
  );
});
