import { mkdir, mkdtemp, readdir, rm, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import { hashSource, withLock } from "./buildApp.ts";
import { bundleOnce } from "./testing/bundleProcesses.ts";

let folder = "";
beforeAll(async () => void (folder = await mkdtemp(join(tmpdir(), "arlarena-turn-"))));
afterAll(() => rm(folder, { recursive: true }));
const quiet = () => ({ signal: new AbortController().signal, onWait: () => {} });

test("works one after the other, says once that it waits, and leaves nothing behind", async () => {
  const path = join(folder, "new/one");
  const events: string[] = [];
  const work = (name: string, first = () => Promise.resolve()) =>
    withLock(path, { ...quiet(), onWait: () => events.push("waits") }, async () => {
      events.push("begins");
      await first();
      events.push("ends");
      return name;
    });
  let second: Promise<string> | undefined;
  const first = work("a", async () => {
    // The second call starts while the first holds the lock: if both started at once, either could get the lock first.
    second = work("b");
    while (!events.includes("waits")) await sleep(10);
  });
  expect(await first).toBe("a");
  expect(await second).toBe("b");
  expect(events).toEqual(["begins", "waits", "ends", "begins", "ends"]);
  expect(await readdir(join(folder, "new"))).toEqual([]);
});

test("passes on what the work throws, and the turn", async () => {
  const path = join(folder, "two");
  await expect(withLock(path, quiet(), () => Promise.reject(new Error("no space")))).rejects.toThrow("no space");
  expect(await withLock(path, quiet(), () => Promise.resolve(1))).toBe(1);
});

test("steps over one who was killed, and over nobody who works long", async () => {
  const path = join(folder, "three");
  await writeFile(path, "");
  const longAgo = new Date(Date.now() - 60_000);
  await utimes(path, longAgo, longAgo);
  const events: string[] = [];
  let others: Promise<void> | undefined;
  await withLock(path, { ...quiet(), staleMs: 5000 }, async () => {
    others = withLock(path, { ...quiet(), staleMs: 5000 }, async () => void events.push("the other begins"));
    await sleep(6000);
    events.push("the first ends");
  });
  await others;
  expect(events).toEqual(["the first ends", "the other begins"]);
});

test("stops waiting when asked to", async () => {
  const path = join(folder, "four");
  await writeFile(path, "");
  const stopping = new AbortController();
  const waiting = withLock(path, { signal: stopping.signal, onWait: () => stopping.abort() }, () => Promise.resolve(1));
  await expect(waiting).rejects.toThrow("abort");
});

test("a page is another version of the web app; a picture, a preset or a test is not", async () => {
  const sources = join(folder, "sources");
  const write = async (path: string, text: string) => {
    await mkdir(join(sources, path, ".."), { recursive: true });
    await writeFile(join(sources, path), text);
  };
  await write("app/page.tsx", "a");
  const before = await hashSource(sources);
  for (const path of ["public/pictures/run.jpg", "public/presets/quick.yaml", "app/spreads.property.test.tsx"])
    await write(path, "b");
  expect(await hashSource(sources)).toBe(before);
  await write("app/page.tsx", "b");
  expect(await hashSource(sources)).not.toBe(before);
});

test.each(["buildApp.ts", "esbuildOptions.ts"])("%s, which lists the separate processes, is source", async (name) => {
  const sources = join(folder, name);
  await mkdir(join(sources, "server/start"), { recursive: true });
  const before = await hashSource(sources);
  await writeFile(join(sources, "server/start", name), "a");
  expect(await hashSource(sources)).not.toBe(before);
});

test("of two processes that bundle the same sources at once, both succeed, and one bundle is left", async () => {
  const bundle = join(folder, "bundles/hash");
  const make = async (draft: string) => {
    await mkdir(draft, { recursive: true });
    await writeFile(join(draft, "models.mjs"), "a");
  };
  await Promise.all([bundleOnce(bundle, make), bundleOnce(bundle, make)]);
  await bundleOnce(bundle, () => Promise.reject(new Error("bundled again")));
  expect(await readdir(join(bundle, ".."))).toEqual(["hash"]);
  expect(await readdir(bundle)).toEqual(["models.mjs"]);
});
