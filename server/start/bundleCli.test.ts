// @module-tag soak
import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, expect, test } from "vitest";
import { z } from "zod";
import { bundleCli } from "./bundleCli.ts";
import { root } from "./root.ts";

const run = promisify(execFile);
const folder = await mkdtemp(join(tmpdir(), "arlarena-bundle-"));
afterAll(() => rm(folder, { recursive: true }));

test("the compiled command line answers without a loader of TypeScript, and notes what it was made from", async () => {
  const entry = await bundleCli(folder);
  const { version } = z
    .object({ version: z.string() })
    .parse(JSON.parse(await readFile(join(root, "package.json"), "utf8")));
  expect((await run(process.execPath, [entry, "--version"])).stdout.trim()).toBe(version);
  const detecting = run(process.execPath, [entry, "detect", join(folder, "no such log"), "--json"]);
  await expect(detecting, "a command's own part is loaded").rejects.toMatchObject({
    stdout: expect.stringContaining("no such log"),
  });
  const Noted = z.object({ entry: z.literal(entry), inputs: z.array(z.tuple([z.string(), z.number(), z.number()])) });
  const { inputs } = Noted.parse(JSON.parse(await readFile(join(folder, "cli.json"), "utf8")));
  expect(inputs.map(([path]) => path)).toEqual(expect.arrayContaining(["server/cli/program.ts", "package-lock.json"]));
});
