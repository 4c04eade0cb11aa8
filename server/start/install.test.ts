import { chmodSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { afterAll, afterEach, describe, expect, it, vi } from "vitest";
import { installPackages, tools, withoutTools } from "./install.mjs";
import { root } from "./root.ts";

const above = mkdtempSync(join(tmpdir(), "arlarena-install-"));
afterAll(() => rmSync(above, { recursive: true }));
afterEach(() => vi.unstubAllEnvs());

const read = (path: string) => JSON.parse(readFileSync(path, "utf8"));

describe("the packages of a start", () => {
  const lock = read(join(root, "package-lock.json"));
  const kept = Object.keys(withoutTools(lock).packages);

  it("are those of the lock without tools and what only tools need", () => {
    expect(kept).toEqual(expect.arrayContaining(["node_modules/next", "node_modules/esbuild", "node_modules/tsx"]));
    for (const name of [...tools, "effect", "@prisma/studio-core"]) expect(kept).not.toContain(`node_modules/${name}`);
    expect(Object.keys(lock.packages).length - kept.length).toBeGreaterThan(150);
  });

  it("include every package that the product imports", () => {
    const folders = ["app", "packages", "server", "trainer", "prisma"];
    const paths = folders.flatMap((room) =>
      readdirSync(join(root, room), { recursive: true, encoding: "utf8" }).map((name) => join(room, name)),
    );
    const isProduct = (path: string) =>
      /\.(tsx?|mjs)$/.test(path) && !/\.test\.|\/testing\/|\/generated\/|start\/(chromium|checking\/)/.test(path);
    const texts = paths.filter(isProduct).map((path) => ({ path, text: readFileSync(join(root, path), "utf8") }));
    expect(texts.length).toBeGreaterThan(1000);
    const wrong = texts.filter(({ text }) => tools.some((name) => text.includes(`from "${name}"`)));
    expect(wrong.map(({ path }) => path)).toEqual([]);
  });
});

const packages = {
  "": { dependencies: { next: "1.0.0" }, devDependencies: { vitest: "1.0.0", zod: "1.0.0" } },
  "node_modules/next": { version: "1.0.0", dependencies: { pg: "2.0.0" }, peerDependencies: { vitest: "1.0.0" } },
  "node_modules/next/node_modules/pg": { version: "2.0.0" },
  "node_modules/pg": { version: "1.0.0" },
  "node_modules/vitest": { version: "1.0.0", dependencies: { pg: "1.0.0" } },
  "node_modules/zod": { version: "1.0.0" },
};

/** Makes a project, and an npm that notes its words and installs all that the lock of its folder names. */
function makeProject(name: string) {
  const folder = join(above, name);
  mkdirSync(join(folder, "bin"), { recursive: true });
  writeFileSync(join(folder, ".npmrc"), "");
  writeFileSync(join(folder, "package.json"), JSON.stringify(packages[""]));
  const next = { ...packages["node_modules/next"], peerDependenciesMeta: { vitest: { optional: true } } };
  const lock = { lockfileVersion: 3, packages: { ...packages, "node_modules/next": next } };
  writeFileSync(join(folder, "package-lock.json"), JSON.stringify(lock));
  const npm = `#!/bin/sh\necho "$1 $2" >>"${folder}/calls"\nmkdir -p node_modules\ncp package-lock.json node_modules/.package-lock.json\n`;
  writeFileSync(join(folder, "bin/npm"), npm);
  chmodSync(join(folder, "bin/npm"), 0o755);
  vi.stubEnv("PATH", `${join(folder, "bin")}${delimiter}${process.env["PATH"]}`);
  return {
    folder,
    calls: () => readFileSync(join(folder, "calls"), "utf8").trim().split("\n"),
    installed: () => Object.keys(read(join(folder, "node_modules/.package-lock.json")).packages).slice(1),
  };
}

const ofStart = ["node_modules/next", "node_modules/next/node_modules/pg", "node_modules/zod"];
const all = Object.keys(packages).slice(1);

describe.skipIf(process.platform === "win32")("an installation (needs a shell)", () => {
  it("of a fresh clone has what a start needs; checks add the tools to it", async () => {
    const { folder, calls, installed } = makeProject("fresh");
    await installPackages({ isQuiet: true, folder });
    expect(installed().toSorted()).toEqual(ofStart);
    expect(readdirSync(join(folder, ".next"))).toEqual([]);
    await installPackages({ isQuiet: true, folder });
    await installPackages({ isQuiet: true, withTools: true, folder });
    expect(installed().toSorted()).toEqual(all.toSorted());
    expect(calls()).toEqual(["ci --include=dev", "install --no-save"]);
  });

  it("that has tools is used as it is, and is whole again after an update", async () => {
    const { folder, calls, installed } = makeProject("whole");
    await installPackages({ isQuiet: true, withTools: true, folder });
    await installPackages({ isQuiet: true, folder });
    expect(calls()).toEqual(["ci --include=dev"]);
    const path = join(folder, "node_modules/.package-lock.json");
    writeFileSync(path, readFileSync(path, "utf8").replace('"version":"2.0.0"', '"version":"1.9.0"'));
    await installPackages({ isQuiet: true, folder });
    expect(installed().toSorted()).toEqual(all.toSorted());
    expect(calls()).toHaveLength(2);
  });
});
