import { expect, it } from "vitest";
import { describeProcessor, findTooLittleMemory } from "./processor.ts";

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
