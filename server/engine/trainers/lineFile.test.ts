import { mkdtemp, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { mountSmallDisk, unmountSmallDisk } from "#trainer/run/testing/smallDisk.ts";
import { openLineFile } from "./journal.ts";

const home = await mkdtemp(join(tmpdir(), "arlarena-lines-"));
const disk = join(home, "disk");
const ballast = join(disk, "ballast");
const isMounted = mountSmallDisk(disk, 100);
afterAll(async () => {
  if (isMounted) unmountSmallDisk(disk);
  await rm(home, { recursive: true, force: true });
});
beforeAll(async () => {
  if (isMounted) await rm(ballast, { force: true });
});

/** Fills the disk completely. */
const fill = () => writeFile(ballast, new Uint8Array(1 << 20)).catch(() => undefined);
const line = (letter: string) => `${letter.repeat(5999)}\n`;

describe.skipIf(!isMounted)("a file of lines on a disk that fills up (takes Linux and root)", () => {
  it("waits for room, and then has every line once and whole", async () => {
    const path = join(disk, "waiting");
    const file = await openLineFile(path, { waitMs: Infinity });
    await file.append("first\n");
    await fill();
    const texts = ["a", "b", "c"].map(line);
    const appended = Promise.all(texts.map((text) => file.append(text)));
    expect(await Promise.race([appended, sleep(1200).then(() => "waits")])).toBe("waits");
    expect(await readFile(path, "utf8")).toBe("first\n");
    await rm(ballast);
    await appended;
    await file.close();
    expect(await readFile(path, "utf8")).toBe(`first\n${texts.join("")}`);
    await rm(path);
  });

  it.each([
    { title: "its time is over", patience: () => ({ waitMs: 0 }) },
    { title: "it is told to hurry", patience: () => ({ waitMs: Infinity, hurry: AbortSignal.timeout(300) }) },
  ])("says that the disk is full when $title, and leaves no torn line", async ({ patience }) => {
    const path = join(disk, "refused");
    await fill();
    const file = await openLineFile(path, patience());
    await expect(file.append(line("x"))).rejects.toThrow("ENOSPC");
    await file.close();
    expect((await stat(path)).size).toBe(0);
    await rm(path);
    await rm(ballast);
  });
});
