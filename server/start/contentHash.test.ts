import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { contentHash } from "./contentHash.ts";

let root = "";
beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), "arlarena-hash-"));
  await mkdir(join(root, "a/deep"), { recursive: true });
  await writeFile(join(root, "a/deep/one.ts"), "one");
  await writeFile(join(root, "a/one.test.ts"), "test");
});
afterAll(() => rm(root, { recursive: true }));

const hashOf = (isSource?: (path: string) => boolean) =>
  contentHash({ root, paths: ["a", "absent.json"], ...(isSource ? { isSource } : {}) });

test("changes with a content, a name and a new file, and comes back with them", async () => {
  const before = await hashOf();
  await writeFile(join(root, "a/deep/one.ts"), "two");
  expect(await hashOf()).not.toBe(before);
  await writeFile(join(root, "a/deep/one.ts"), "one");
  expect(await hashOf()).toBe(before);
  await writeFile(join(root, "absent.json"), "");
  expect(await hashOf()).not.toBe(before);
});

test("leaves out what is no source", async () => {
  const isSource = (path: string) => !path.includes(".test.");
  const before = await hashOf(isSource);
  await writeFile(join(root, "a/one.test.ts"), "changed");
  expect(await hashOf(isSource)).toBe(before);
});
