import { describe, expect, it } from "vitest";
import { isFullNow, describeDisk } from "./disk.ts";

const disk = (freeMb: number, totalMb: number) => ({ freeBytes: freeMb * 1e6, totalBytes: totalMb * 1e6 });

describe("a disk", () => {
  it.each([
    ["is full below 128 MB", disk(127, 1e6), false, true],
    ["is not full at 128 MB", disk(128, 1e6), false, false],
    ["stays full until twice that is free", disk(255, 1e6), true, true],
    ["has room again from there on", disk(256, 1e6), true, false],
    ["of 400 MB is full below an eighth", disk(49, 400), false, true],
    ["of 400 MB has room at an eighth", disk(50, 400), false, false],
    ["of 400 MB has room again at a quarter", disk(100, 400), true, false],
  ])("%s", (_, seen, wasFull, expected) => {
    expect(isFullNow(seen, wasFull)).toBe(expected);
  });

  it("says how much room there is, and what a full one holds up", () => {
    expect(describeDisk({ ...disk(3_100_000, 4e6), isFull: false })).toBe("disk: 3.1 TB of 4.0 TB free");
    expect(describeDisk({ ...disk(12, 400), isFull: true })).toBe(
      "disk full: 12 MB of 400 MB free; runs wait, and go on from their checkpoints at 100 MB",
    );
  });
});
