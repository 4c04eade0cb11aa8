import { expect, it, test } from "vitest";
import type { Gpu } from "#trainer/spec/gpus.ts";
import { findLargestGpu, noteGpuMemory, type GpuNode } from "./gpuMemory.ts";

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
    /^M needs 30,000 MB on cuda, and the largest GPU .* T4 of a, has 16,000 MB/,
  ],
  [
    "may grow too large",
    { provider: "webgpu", neededMb: 3000, memoryLimitMb: 24_000 },
    largest,
    /^On webgpu M may take 24,000 MB, its memory limit, and .* has 16,000 MB/,
  ],
])("notes of a run what no GPU has, where it %s", (_, need, known, note) => {
  const text = noteGpuMemory({ name: "M", ...need }, known);
  if (note === undefined) expect(text).toBeUndefined();
  else expect(text).toMatch(note);
});
