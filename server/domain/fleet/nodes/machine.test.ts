import { describe, expect, it, test } from "vitest";
import type { Gpu } from "#trainer/spec/gpus.ts";
import {
  describeDisk,
  describeProcessor,
  findLargestGpu,
  findTooLittleMemory,
  type GpuNode,
  isFullNow,
  noteGpuMemory,
} from "./machine.ts";

const gpu = (name: string, memoryTotalMb: number | null): Gpu => ({
  index: 0,
  name,
  driver: null,
  memoryTotalMb,
  memoryUsedMb: null,
  utilisation: null,
  temperatureCelsius: null,
  powerWatts: null,
});
const nodeOf = (name: string, gpus: Gpu[], ofMachine: Gpu[] = []): GpuNode => ({
  node: { name },
  gpus,
  machines: [{ host: "h", atMs: 0, providers: {}, isComplete: true, gpus: ofMachine, problem: null }],
});

it("finds the largest GPU among those asked all the time and those a trainer told of, in megabytes", () => {
  const nodes = [nodeOf("a", [gpu("T4", 15_360)]), nodeOf("b", [], [gpu("H200", 143_771), gpu("odd", null)])];
  expect(findLargestGpu(nodes)).toEqual({ node: "b", name: "H200", memoryMb: 150_754 });
  expect(findLargestGpu([nodeOf("c", [gpu("odd", null)])])).toBeUndefined();
});

const largest = { node: "a", name: "T4", memoryMb: 16_000 };
test.each([
  ["fits", { provider: "webgpu", neededMb: 3000, memoryLimitMb: 12_000 }, largest, undefined],
  ["is computed on processors", { provider: "cpu", neededMb: 30_000, memoryLimitMb: 40_000 }, largest, undefined],
  ["meets no known GPU", { provider: "cuda", neededMb: 30_000, memoryLimitMb: 40_000 }, undefined, undefined],
  [
    "is too large",
    { provider: "cuda", neededMb: 30_000, memoryLimitMb: 40_000 },
    largest,
    /^M needs 30,000 MB on cuda, but the largest known GPU, .*T4 on a, has 16,000 MB/,
  ],
  [
    "may grow too large",
    { provider: "webgpu", neededMb: 3000, memoryLimitMb: 24_000 },
    largest,
    /^M on webgpu may use up to its memory limit of 24,000 MB, but .* has 16,000 MB/,
  ],
])("notes of a run what no GPU has, where it %s", (_, need, known, note) => {
  const text = noteGpuMemory({ name: "M", ...need }, known);
  if (note === undefined) expect(text).toBeUndefined();
  else expect(text).toMatch(note);
});

const processor = { numCores: 16, load: 3.21, memoryUsedBytes: 12e9, memoryTotalBytes: 25e9 };

it("says how busy a machine is", () => {
  expect(describeProcessor(processor)).toBe("load 3.2 on 16 cores · memory: 12 GB of 25 GB in use");
  expect(describeProcessor({ ...processor, numCores: 1, load: null })).toBe("1 core · memory: 12 GB of 25 GB in use");
});

it("finds what is too large for every node, and nothing where one is not known", () => {
  const small = { processor: { ...processor, memoryTotalBytes: 8e9 } };
  expect(findTooLittleMemory([{ processor }, small], 24_000)).toBeUndefined();
  expect(findTooLittleMemory([{ processor }, small], 26_000)).toEqual({ largestMb: 25_000 });
  expect(findTooLittleMemory([small, { processor: null }], 26_000)).toBeUndefined();
  expect(findTooLittleMemory([], 26_000)).toBeUndefined();
});

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
      "disk full: 12 MB of 400 MB free; runs wait and resume from their checkpoints once 100 MB are free",
    );
  });
});
