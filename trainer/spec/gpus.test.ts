import { describe, expect, it } from "vitest";
import { parseNvidia, parseRocm } from "./gpus.ts";

const untold = {
  memoryTotalMb: null,
  memoryUsedMb: null,
  utilisation: null,
  temperatureCelsius: null,
  powerWatts: null,
};

describe("what nvidia-smi prints", () => {
  it("is read a GPU a line", () => {
    const text = [
      "0, 580.65.06, 143771, 11444, 37, 41, 312.55, NVIDIA H200",
      "1, 580.65.06, 143771, 4, 0, 29, 76.10, NVIDIA H200",
      "",
    ].join("\n");
    const shared = { name: "NVIDIA H200", driver: "580.65.06", memoryTotalMb: 143_771 };
    expect(parseNvidia(text)).toEqual([
      { ...shared, index: 0, memoryUsedMb: 11_444, utilisation: 0.37, temperatureCelsius: 41, powerWatts: 312.55 },
      { ...shared, index: 1, memoryUsedMb: 4, utilisation: 0, temperatureCelsius: 29, powerWatts: 76.1 },
    ]);
  });

  it.each([
    // A GPU with MIG enabled reports no utilisation.
    [
      "[N/A]",
      "0, 535.129.03, 81920, 1245, [N/A], 34, 63.94, NVIDIA A100-SXM4-80GB",
      { memoryTotalMb: 81_920, memoryUsedMb: 1245, temperatureCelsius: 34, powerWatts: 63.94 },
    ],
    // A GPU that shares the system's memory reports no memory.
    [
      "memory that it shares",
      "0, 580.126.09, [N/A], [N/A], 0, 39, 3.74, NVIDIA GB10",
      { utilisation: 0, temperatureCelsius: 39, powerWatts: 3.74 },
    ],
    [
      "[Not Supported]",
      "0, 470.57.02, 4037, 3, [Not Supported], 44, [Not Supported], Quadro K2200",
      { memoryTotalMb: 4037, memoryUsedMb: 3, temperatureCelsius: 44 },
    ],
    [
      "[Insufficient Permissions]",
      "0, 550.54.15, 81559, [Insufficient Permissions], [N/A], 31, 70.00, NVIDIA H100",
      { memoryTotalMb: 81_559, temperatureCelsius: 31, powerWatts: 70 },
    ],
    [
      "[GPU is lost]",
      "3, 550.54.15, [GPU is lost], [GPU is lost], [GPU is lost], [GPU is lost], [GPU is lost], NVIDIA RTX A6000",
      {},
    ],
    [
      "[Unknown Error]",
      "1, 550.54.15, 49140, 6, [Unknown Error], [Unknown Error], [Unknown Error], NVIDIA RTX A6000",
      { memoryTotalMb: 49_140, memoryUsedMb: 6 },
    ],
  ])("has no value where a GPU says %s, and no zero", (_, line, values) => {
    expect(parseNvidia(line)).toEqual([expect.objectContaining({ ...untold, ...values })]);
  });

  it("may be about one GPU that fails among others, and names with commas stay whole", () => {
    const text = [
      "0, 550.90.07, 24576, 1, 0, 30, 20.31, NVIDIA H100 80GB HBM3, MIG 1g.10gb",
      "Unable to determine the device handle for GPU0000:02:00.0: Unknown Error",
      "[Unknown Error], [Unknown Error], [Unknown Error], [Unknown Error], [Unknown Error], [Unknown Error], [Unknown Error], [Unknown Error]",
      "2, 550.90.07, 24576, 1, 0, 31, 21.02, NVIDIA GeForce RTX 3090",
    ].join("\n");
    expect(parseNvidia(text).map(({ index, name }) => [index, name])).toEqual([
      [0, "NVIDIA H100 80GB HBM3, MIG 1g.10gb"],
      [2, "NVIDIA GeForce RTX 3090"],
    ]);
  });

  it.each([
    "NVIDIA-SMI has failed because it couldn't communicate with the NVIDIA driver. Make sure that the latest NVIDIA driver is installed and running.\n",
    "No devices were found\n",
    "",
  ])("is no GPU: %j", (text) => {
    expect(parseNvidia(text)).toEqual([]);
  });
});

describe("what rocm-smi prints", () => {
  it("is read a card each, by the names of several versions", () => {
    const newer = {
      card0: {
        "Temperature (Sensor edge) (C)": "45.0",
        "Temperature (Sensor junction) (C)": "47.0",
        "Average Graphics Package Power (W)": "6.0",
        "GPU use (%)": "0",
        "VRAM Total Memory (B)": "12868124672",
        "VRAM Total Used Memory (B)": "1572745216",
        "Card Series": "Navi 22 [Radeon RX 6700/6700 XT / 6800M]",
        "Card Vendor": "Advanced Micro Devices, Inc. [AMD/ATI]",
      },
      system: { "Driver version": "6.3.6" },
    };
    const navi = { index: 0, name: "Navi 22 [Radeon RX 6700/6700 XT / 6800M]", driver: "6.3.6", memoryTotalMb: 12_272 };
    expect(parseRocm(`WARNING: AMD GPU device(s) is/are in a low-power state.\n${JSON.stringify(newer)}\n`)).toEqual([
      { ...navi, memoryUsedMb: 1500, utilisation: 0, temperatureCelsius: 47, powerWatts: 6 },
    ]);
    const older = {
      card1: { "Card series": "N/A", "Card vendor": "Advanced Micro Devices, Inc. [AMD/ATI]", "GPU use (%)": "99" },
      card3: { "Current Socket Graphics Package Power (W)": "133.0", "Temperature (Sensor junction) (C)": "N/A" },
    };
    expect(parseRocm(JSON.stringify(older))).toEqual([
      { ...untold, index: 1, name: "Advanced Micro Devices, Inc. [AMD/ATI]", driver: null, utilisation: 0.99 },
      { ...untold, index: 3, name: "AMD", driver: null, powerWatts: 133 },
    ]);
  });

  it.each(["", "ERROR:root:Driver not initialized (amdgpu not found in modules)", "{", "[]", '{"card0": 1}'])(
    "is no GPU: %j",
    (text) => {
      expect(parseRocm(text)).toEqual([]);
    },
  );
});
