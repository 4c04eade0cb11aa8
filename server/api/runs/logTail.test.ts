import { mkdtemp, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { logFiles, readTail } from "./runRouter.ts";

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "tail-"));
});
afterAll(() => rm(folder, { recursive: true }));

it.each(["wrapper.ts", "slurm/sbatchText.ts"])("reads what jobs write by %s", async (launcher) => {
  const script = await readFile(new URL(`../../engine/launchers/${launcher}`, import.meta.url), "utf8");
  expect(script).toContain(`>>"$folder/${logFiles.stdout}" 2>>"$folder/${logFiles.stderr}"`);
});

it("gives a short file whole", async () => {
  await writeFile(join(folder, "stdout.log"), "one\ntwo\n");
  expect(await readTail(folder, "stdout", 100)).toEqual({ text: "one\ntwo\n", sizeBytes: 8, skippedBytes: 0 });
});

it("begins a long file's end at a whole line and says what it left out", async () => {
  await writeFile(join(folder, "stdout.log"), "first\nsecond\nthird\n");
  expect(await readTail(folder, "stdout", 10)).toEqual({ text: "third\n", sizeBytes: 19, skippedBytes: 13 });
});

it("knows a file that is not there from an empty one", async () => {
  expect(await readTail(folder, "events", 10)).toBeNull();
});

it("refuses a link out of the attempt's folder", async () => {
  await symlink("/etc/passwd", join(folder, "stderr.log"));
  await expect(readTail(folder, "stderr", 10)).rejects.toThrow("leads out of the attempt's folder");
});
