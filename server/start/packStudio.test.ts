// @module-tag soak
import { execFile } from "node:child_process";
import { cp, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, expect, test } from "vitest";
import { packPrograms } from "./packStudio.ts";
import { root } from "./root.ts";

const run = promisify(execFile);
const folder = await mkdtemp(join(tmpdir(), "arlarena-pack-"));
afterAll(() => rm(folder, { recursive: true }));

test("a package's programs start where there is no TypeScript and no other package", async () => {
  await packPrograms(join(folder, "dist"));
  for (const path of ["package.json", "server/cli/arlarena.mjs", "server/start/start.mjs", "server/start/install.mjs"])
    await cp(join(root, path), join(folder, path));
  const ask = (...args: string[]) => run(process.execPath, args, { cwd: tmpdir() });
  const help = await ask(join(folder, "server/start/start.mjs"), "--help");
  expect(help.stdout).toMatch(/^arlarena-studio \[options\]\n/);
  const cli = join(folder, "server/cli/arlarena.mjs");
  expect((await ask(cli, "--version")).stdout.trim()).toMatch(/^\d+\.\d+\.\d+$/);
  const environments = await ask(cli, "env", "--json");
  expect(environments.stdout).toContain("sokoban");
});
