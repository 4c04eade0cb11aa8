import { mkdir, mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { packagesKey, wheelsOf } from "#trainer/spec/environments/pythonPackages.ts";
import { sharePackages } from "./prepare.ts";

it("Python packages are put where the cluster sees them once, also when several runs ask at the same time", async () => {
  const home = await mkdtemp(join(tmpdir(), "arlarena-share-"));
  const [from, folder] = [join(home, "python"), join(home, "shared")];
  const packages = ["sympy"] as const;
  try {
    await mkdir(from);
    for (const { file } of wheelsOf(packages)) await writeFile(join(from, file), "wheel");
    const shared = await Promise.all([1, 2, 3].map(() => sharePackages(folder, { from, packages })));
    expect(new Set(shared)).toEqual(new Set([join(folder, "python", packagesKey(packages))]));
    expect(await readdir(join(folder, "python"))).toEqual([packagesKey(packages)]);
    expect(await readdir(shared[0] ?? "")).toEqual(wheelsOf(packages).map(({ file }) => file));
  } finally {
    await rm(home, { recursive: true });
  }
});
