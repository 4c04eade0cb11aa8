import { expect, it } from "vitest";
import { parseGpus } from "./gpus.ts";

it("reads what nvidia-smi prints, a GPU a line; what a GPU does not tell counts as 0", () => {
  const text =
    "0, NVIDIA H200, 37, 11444, 143771\n1, NVIDIA A100-SXM4-80GB MIG 1g.10gb, [N/A], 12, 9728\n\nNo devices were found\n";
  expect(parseGpus(text)).toEqual([
    { index: 0, name: "NVIDIA H200", utilisation: 0.37, memoryUsedMb: 11_444, memoryTotalMb: 143_771 },
    { index: 1, name: "NVIDIA A100-SXM4-80GB MIG 1g.10gb", utilisation: 0, memoryUsedMb: 12, memoryTotalMb: 9728 },
  ]);
});
